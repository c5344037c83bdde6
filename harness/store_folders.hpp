// Folders for files that are about to be made.
#pragma once
#include <string>

namespace harness {

/// Creates the folders above a path. Throws Error(store) with the folder and the reason.
void create_parent_folders(const std::string& path);

}  // namespace harness
