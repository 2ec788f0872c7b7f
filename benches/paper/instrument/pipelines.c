// Has the compiler of a Vulkan driver build kernels and prints its statistics, a JSON object a line. Nothing runs: the
// driver may be one of a GPU that is not there, as Mesa's is with RADV_FORCE_FAMILY.
//
// pipelines FILE.spv...: each with four storage buffers in set 0, and the entry point `main`
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

enum { BUFFERS = 4, MOST = 64 };

static void must(VkResult result, const char *what) {
    if (result == VK_SUCCESS || result == VK_INCOMPLETE) return;
    fprintf(stderr, "%s: error %d of Vulkan\n", what, result);
    exit(1);
}

static VkPhysicalDevice first_device(void) {
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    must(vkCreateInstance(&create, NULL, &instance), "instance");
    uint32_t count = 1;
    VkPhysicalDevice found = VK_NULL_HANDLE;
    must(vkEnumeratePhysicalDevices(instance, &count, &found), "devices");
    if (count == 0) {
        fprintf(stderr, "the driver has no device\n");
        exit(1);
    }
    return found;
}

static VkDevice open_device(VkPhysicalDevice physical) {
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    // features: statistics of the compiler, and the memory model that kernels declare
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE};
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
        .pNext = &statistics,
        .vulkanMemoryModel = VK_TRUE,
        .vulkanMemoryModelDeviceScope = VK_TRUE};
    const char *extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    VkDeviceCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &memory_model,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = &extension};
    VkDevice device;
    must(vkCreateDevice(physical, &create, NULL, &device), "device");
    return device;
}

static VkPipelineLayout storage_buffers(VkDevice device) {
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    for (uint32_t b = 0; b < BUFFERS; b++) {
        bindings[b] = (VkDescriptorSetLayoutBinding){.binding = b, .descriptorCount = 1};
        bindings[b].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[b].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    VkDescriptorSetLayoutCreateInfo create_set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BUFFERS, .pBindings = bindings};
    VkDescriptorSetLayout set;
    must(vkCreateDescriptorSetLayout(device, &create_set, NULL, &set), "set of buffers");
    VkPipelineLayoutCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set};
    VkPipelineLayout layout;
    must(vkCreatePipelineLayout(device, &create, NULL, &layout), "layout");
    return layout;
}

static uint32_t *words_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint32_t *words = malloc(*size);
    if (fread(words, 1, *size, file) != *size) exit(1);
    fclose(file);
    return words;
}

static VkPipeline build(VkDevice device, VkPipelineLayout layout, const char *path) {
    size_t size;
    uint32_t *words = words_of(path, &size);
    VkShaderModuleCreateInfo create_module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module;
    must(vkCreateShaderModule(device, &create_module, NULL, &module), path);
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
        .layout = layout,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main"}};
    VkPipeline pipeline;
    must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline), path);
    vkDestroyShaderModule(device, module, NULL);
    free(words);
    return pipeline;
}

// Whole numbers and fractions alike are numbers of JSON; truth is 0 or 1.
static void print(VkPipelineExecutableStatisticKHR *statistic) {
    const VkPipelineExecutableStatisticValueKHR value = statistic->value;
    printf(", \"%s\": ", statistic->name);
    switch (statistic->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: printf("%u", value.b32); break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: printf("%lld", (long long)value.i64); break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: printf("%llu", (unsigned long long)value.u64); break;
    default: printf("%g", value.f64);
    }
}

int main(int count, char **paths) {
    VkPhysicalDevice physical = first_device();
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    VkDevice device = open_device(physical);
    VkPipelineLayout layout = storage_buffers(device);
    PFN_vkGetPipelineExecutableStatisticsKHR ask =
        (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR");
    for (int k = 1; k < count; k++) {
        VkPipeline pipeline = build(device, layout, paths[k]);
        // a kernel is one program of the device, the first of its pipeline
        VkPipelineExecutableInfoKHR which = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
        VkPipelineExecutableStatisticKHR statistics[MOST];
        for (int s = 0; s < MOST; s++) {
            statistics[s] = (VkPipelineExecutableStatisticKHR){0};
            statistics[s].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
        }
        uint32_t found = MOST;
        must(ask(device, &which, &found, statistics), "statistics");
        printf("{\"device\": \"%s\"", properties.deviceName);
        for (uint32_t s = 0; s < found; s++) print(&statistics[s]);
        printf("}\n");
        fflush(stdout);
        vkDestroyPipeline(device, pipeline, NULL);
    }
    return 0;
}
