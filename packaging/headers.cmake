# The headers of libpm-dev, and the rows of dialects that they expand. header.awk makes of them what is installed.
file(GLOB_RECURSE PM_HEADERS CONFIGURE_DEPENDS ir/*.h ir/*.def dialects/*.h dialects/*.def frontends/kit/*.h targets/abi/*.h
  targets/cfamily/*.h targets/cfamily/*.def targets/lib/*.h pm/*.h)
list(FILTER PM_HEADERS EXCLUDE REGEX "/ir/src/|_(private|parts)\\.h$")
# What only the library itself has use for.
list(FILTER PM_HEADERS EXCLUDE REGEX
  "/(affine_pool|ast_values|linear_memo|linear_rows|number_pool|float_range|index_expr|one_index|cache|cache_folder|make|cc_flags|hash|kept|object|relocate|debuggers)\\.h$")
foreach(header passes/passes.h frontends/frontend.h targets/target.h tools/plugin.h)
  list(APPEND PM_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
endforeach()

set(folders "")
foreach(header ${PM_HEADERS})
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
  cmake_path(GET path PARENT_PATH folder)
  string(REGEX REPLACE "^pm$" "." folder "${folder}")
  list(APPEND folders ${folder})
endforeach()
list(REMOVE_DUPLICATES folders)

set(made ${CMAKE_CURRENT_BINARY_DIR}/headers)
install(CODE "
  file(LOCK ${made}.lock GUARD PROCESS TIMEOUT 600) # several may install at a time
  file(REMOVE_RECURSE ${made})
  foreach(folder ${folders})
    file(MAKE_DIRECTORY ${made}/pm/\${folder})
  endforeach()
  execute_process(COMMAND awk -v root=${CMAKE_CURRENT_SOURCE_DIR}/ -v out=${made}/pm/ -f packaging/header.awk ${PM_HEADERS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT libpm-dev)
install(DIRECTORY ${made}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libpm-dev)
