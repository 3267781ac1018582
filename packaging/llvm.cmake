# Where LLVM's shared object is: the library looks there before it opens pm-llvm.so (targets/llvm/llvm.c).
#
# A package of Python has pm-llvm.so in site-packages/pm/lib/pm, and LLVM comes from another package. That puts its file into the folder
# lib of an environment or a user: site-packages is below it, or below lib64 beside it.
set(LLVM_FOLDERS_OF_PYTHON ../../../../.. ../../../../../../lib)
set(files "")
set(file "")
if(LLVM_FOUND)
  get_target_property(configs LLVM IMPORTED_CONFIGURATIONS)
  list(GET configs 0 config)
  get_target_property(file LLVM IMPORTED_LOCATION_${config})
  file(REAL_PATH ${file} file)
  cmake_path(GET file FILENAME name)
  if(SKBUILD)
    foreach(folder ${LLVM_FOLDERS_OF_PYTHON})
      list(APPEND files "\"${folder}/${name}\"")
    endforeach()
  endif()
endif()
list(APPEND files "\"${file}\"")
list(JOIN files "," files)
set_source_files_properties(targets/llvm/llvm.c PROPERTIES COMPILE_DEFINITIONS "PM_LLVM_FILES=${files}")
