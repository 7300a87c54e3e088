# SPDX-License-Identifier: Apache-2.0
# ONNX' protobuf messages as the target convict_onnx. Found by header and library: Debian's ONNXConfig.cmake names
# protobuf::libprotobuf without looking for it. Both definitions are what Debian's libonnx_proto was built with.
find_path(ONNX_INCLUDE onnx/onnx_pb.h REQUIRED)
find_path(PROTOBUF_INCLUDE google/protobuf/message.h REQUIRED)
find_library(ONNX_PROTO onnx_proto REQUIRED)
find_library(PROTOBUF protobuf REQUIRED)
add_library(convict_onnx INTERFACE)
target_include_directories(convict_onnx SYSTEM INTERFACE ${ONNX_INCLUDE} ${PROTOBUF_INCLUDE})
target_compile_definitions(convict_onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(convict_onnx INTERFACE ${ONNX_PROTO} ${PROTOBUF})
