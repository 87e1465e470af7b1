# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(Roller) gives roller_iree_module() and the cache variable ROLLER_EXECUTABLE.
#
#   cmake -DRoller_DIR="$(roller iree cmake-dir)" ...

find_program(ROLLER_EXECUTABLE roller DOC "the command roller, of the package roller_mlir")
if(NOT ROLLER_EXECUTABLE)
  set(Roller_FOUND FALSE)
  set(Roller_NOT_FOUND_MESSAGE "the command 'roller' is not in PATH; set ROLLER_EXECUTABLE")
  return()
endif()

# roller_iree_module(NAME mlp SRC mlp.onnx TARGET h200 [MODE dispatch] [FLAGS --image cubin ...] [IREE_FLAGS ...])
#
# Makes the target NAME, which builds in the binary folder:
#   NAME.vmfb         the module, for IREE's runtime
#   NAME.report.json  who compiles which part, and why
#   NAME.artifacts/   what the simulator and `roller iree run` need to run it without a GPU
# SRC is what `roller import` reads, relative to the source folder. The target's property ROLLER_MODULE is the path of
# the module. FLAGS go to `roller iree compile`, IREE_FLAGS to iree-compile.
function(roller_iree_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SRC;TARGET;MODE" "FLAGS;IREE_FLAGS")
  foreach(needed NAME SRC TARGET)
    if(NOT arg_${needed})
      message(FATAL_ERROR "roller_iree_module: ${needed} is missing")
    endif()
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "roller_iree_module(${arg_NAME}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(flags ${arg_FLAGS})
  if(arg_MODE)
    list(APPEND flags --mode ${arg_MODE})
  endif()
  if(arg_IREE_FLAGS)
    list(APPEND flags -- ${arg_IREE_FLAGS})
  endif()
  get_filename_component(source "${arg_SRC}" ABSOLUTE)
  set(stem "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}")
  add_custom_command(
    OUTPUT "${stem}.vmfb" "${stem}.report.json"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${stem}.artifacts"
    COMMAND "${ROLLER_EXECUTABLE}" iree compile "${source}" -o "${stem}.vmfb" --target ${arg_TARGET}
            --report "${stem}.report.json" --artifacts "${stem}.artifacts" ${flags}
    DEPENDS "${source}"
    COMMENT "Compiling ${arg_NAME}.vmfb for ${arg_TARGET}"
    VERBATIM)
  add_custom_target(${arg_NAME} ALL DEPENDS "${stem}.vmfb" "${stem}.report.json")
  set_target_properties(${arg_NAME} PROPERTIES ROLLER_MODULE "${stem}.vmfb" ADDITIONAL_CLEAN_FILES "${stem}.artifacts")
endfunction()
