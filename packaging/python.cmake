# The package of Python, where Python's headers are: the extension and the files beside it, as they are found in PYTHONPATH=BUILD/python.
# A wheel has them too, as the component python3-pm, and the other components below its folder pm (pyproject.toml).
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python3_Development.Module_FOUND)
  if(SKBUILD)
    message(FATAL_ERROR "a wheel needs the headers of Python 3.11 or later: on Debian, python3-dev")
  endif()
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS tools/python/src/*.c)
add_library(pm-python MODULE ${sources})
target_compile_options(pm-python PRIVATE -Wno-pedantic) # its tables have functions as void *
target_include_directories(pm-python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(pm-python PRIVATE pm)
target_link_options(pm-python PRIVATE -Wl,--no-as-needed) # auditwheel tells the C library by this file, whatever it calls
set(packages ${CMAKE_CURRENT_BINARY_DIR}/python)
set(package ${packages}/pm)
set_target_properties(pm-python PROPERTIES PREFIX "" OUTPUT_NAME _pm SUFFIX .abi3.so LIBRARY_OUTPUT_DIRECTORY ${package}
  BUILD_RPATH "\$ORIGIN/../.." BUILD_WITH_INSTALL_RPATH OFF)

if(SKBUILD)
  install(TARGETS pm-python LIBRARY DESTINATION . COMPONENT python3-pm)
  find_when_installed(pm-python . "\$ORIGIN/../.." "\$ORIGIN/${CMAKE_INSTALL_LIBDIR}" python3-pm)
  install(DIRECTORY tools/python/pm/ DESTINATION . COMPONENT python3-pm PATTERN __pycache__ EXCLUDE)
  return()
endif()

# What pip writes when it installs a wheel: by it the package knows the name under which it is distributed.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS pyproject.toml)
file(STRINGS pyproject.toml name REGEX "^name = ")
string(REGEX REPLACE "^name = \"(.*)\"$" "\\1" name "${name}")
set(info ${packages}/pm-${PROJECT_VERSION}.dist-info)
file(CONFIGURE OUTPUT ${info}/METADATA CONTENT "Metadata-Version: 2.1\nName: ${name}\nVersion: ${PROJECT_VERSION}\n" @ONLY)
file(CONFIGURE OUTPUT ${info}/RECORD CONTENT "pm/_pm.abi3.so,,\n" @ONLY)

if(CMAKE_INSTALL_PREFIX STREQUAL "/usr") # the package of Debian, whose tools are in /usr/bin
  set(folder lib/python3/dist-packages)
  install(TARGETS pm-python LIBRARY DESTINATION ${folder}/pm COMPONENT python3-pm)
  install(DIRECTORY tools/python/pm/ DESTINATION ${folder}/pm COMPONENT python3-pm PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY ${info} DESTINATION ${folder} COMPONENT python3-pm)
  file(CREATE_LINK ../../../../bin ${packages}/bin SYMBOLIC)
  install(FILES ${packages}/bin DESTINATION ${folder}/pm COMPONENT python3-pm)
endif()

# Links, so that an edit is seen at once.
file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/tools/python/pm tools/python/pm/*.py tools/python/pm/*.pyi
  tools/python/pm/py.typed)
foreach(file ${files})
  get_filename_component(folder ${package}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/tools/python/pm/${file} ${package}/${file} SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY ${package}/bin)
foreach(tool ${TOOLS})
  file(CREATE_LINK ${CMAKE_CURRENT_BINARY_DIR}/${tool} ${package}/bin/${tool} SYMBOLIC)
endforeach()
