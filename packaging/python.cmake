# The package of Python, where Python's headers are: the extension and the files beside it, as they are found in PYTHONPATH=BUILD/python.
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python3_Development.Module_FOUND OR PM_SANITIZE)
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS tools/python/src/*.c)
add_library(pm-python MODULE ${sources})
target_compile_options(pm-python PRIVATE -Wno-pedantic) # its tables have functions as void *
target_include_directories(pm-python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(pm-python PRIVATE pm)
set(package ${CMAKE_CURRENT_BINARY_DIR}/python/pm)
set_target_properties(pm-python PROPERTIES PREFIX "" OUTPUT_NAME _pm SUFFIX .abi3.so LIBRARY_OUTPUT_DIRECTORY ${package}
  BUILD_RPATH "\$ORIGIN/../.." BUILD_WITH_INSTALL_RPATH OFF)
# Links, so that an edit is seen at once.
file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/tools/python/pm tools/python/pm/*.py tools/python/pm/*.pyi
  tools/python/pm/py.typed)
foreach(file ${files})
  get_filename_component(folder ${package}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/tools/python/pm/${file} ${package}/${file} SYMBOLIC)
endforeach()
