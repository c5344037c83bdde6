# Writes one C++ file with the text of each FOLDER/NAME.schema.json as a raw string. MSVC-style length limits do not
# apply to gcc and clang.
set(text "// Generated from schemas/*.schema.json by cmake/EmbedSchemas.cmake.\n#include \"schemas/schemas.hpp\"\n\n")
string(APPEND text "namespace schemas {\nnamespace {\n")
set(cases "")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.schema.json json)
  string(APPEND text "constexpr std::string_view ${name}_text = R\"__schema__(${json})__schema__\";\n")
  string(APPEND cases "  if (name == \"${name}\") return ${name}_text;\n")
endforeach()
string(APPEND text "}  // namespace\n\nstd::string_view find_schema(std::string_view name) {\n${cases}  return {};\n}\n\n}  // namespace schemas\n")
file(WRITE ${OUTPUT} "${text}")
