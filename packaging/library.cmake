# libpm.so, which the tools, pm-llvm.so, plugins and hosts share, of the objects of the library.
#
# Exported is what the installed headers declare: ours as PM_0, isl's as PM_ISL_0, for plugins. A process may have another isl, too:
# calls inside the library are bound to its own functions, and isl's data is hidden. Our tables are not bound, since programs that are
# compiled without -fPIC have the one copy of a table that they name.

# The functions of that prefix that the preprocessed headers name, as lines of a version script.
function(declared_functions prefix text made)
  string(REGEX MATCHALL "[^a-zA-Z0-9_]${prefix}[a-zA-Z0-9_]+[ \n]*\\(" names "${text}")
  list(TRANSFORM names REPLACE "[^a-zA-Z0-9_]" "")
  list(SORT names)
  list(REMOVE_DUPLICATES names)
  list(JOIN names ";\n    " names)
  set(${made} "${names};" PARENT_SCOPE)
endfunction()

find_path(ISL_INCLUDE_DIR isl/ctx.h REQUIRED)
file(GLOB isl_headers RELATIVE ${ISL_INCLUDE_DIR} ${ISL_INCLUDE_DIR}/isl/*.h)
list(FILTER isl_headers EXCLUDE REGEX "cpp|noexceptions")
file(GLOB own_headers dialects/isl/*.h)
set(includes "")
foreach(header ${isl_headers} ${own_headers})
  string(APPEND includes "#include <${header}>\n")
endforeach()
file(CONFIGURE OUTPUT isl_headers.c CONTENT "${includes}" @ONLY)
execute_process(COMMAND ${CMAKE_C_COMPILER} -E -P -I${CMAKE_CURRENT_SOURCE_DIR} -I${ISL_INCLUDE_DIR}
  ${CMAKE_CURRENT_BINARY_DIR}/isl_headers.c OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
declared_functions(isl_ "${text}" ISL_FUNCTIONS)
configure_file(packaging/libpm.map.in libpm.map @ONLY)

add_library(pm SHARED $<TARGET_OBJECTS:pmobjects>)
set_target_properties(pm PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/libpm.map)
if(PM_SANITIZE)
  set_target_properties(pm PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
target_link_options(pm PRIVATE ${OWN_MEMORY} -Wl,-Bsymbolic-functions -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/libpm.map)
target_link_libraries(pm PRIVATE ${CORE_LIBRARIES})
if(PM_ARCHIVED_ISL)
  target_sources(pm PRIVATE packaging/libpm_stderr.c)
  target_link_options(pm PRIVATE -Wl,--wrap=stderr)
  # All of it: plugins call what the library does not.
  target_link_options(pm PRIVATE -Wl,--whole-archive,${ISL_ARCHIVE},--no-whole-archive)
endif()

# A third of the size of its relocations' table, and quicker to load, where the C library knows them.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
check_c_source_compiles("#include <features.h>
#if !__GLIBC_PREREQ(2, 36)
#error older
#endif
int main(void) { return 0; }" PM_PACKS_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(PM_PACKS_RELOCATIONS)
  target_link_options(pm PRIVATE -Wl,-z,pack-relative-relocs)
endif()
