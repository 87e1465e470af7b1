/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the two driver libraries share: the simulated device, which a process of its own holds (server.py).
 *
 * The server is at the abstract socket that ROLLER_SIM_DRIVER names, and makes a process for each program that asks for
 * its device. A request is two words (its kind, the bytes that follow) and those bytes; the reply is a status of the
 * driver, the bytes that follow, and those: what was asked for, or a message. The device's memory is a file without a
 * name, mapped at the same address on both sides; so pointers in it mean the same to the host and to kernels.
 *
 * Everything is done when the call returns, but for functions of the host, which a thread of their own calls in order.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Both vendors number these alike. */
enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101,
    INVALID_IMAGE = 200, NOT_FOUND = 500, LAUNCH_FAILED = 719, NOT_SUPPORTED = 801
};
enum { HELLO = 1, ALLOCATE, FREE, CHECK, MODULE, FUNCTION, LAUNCH };
enum { MOST_PARAMETERS = 256, MOST_REPLY = 1 << 16, MOST_ATTRIBUTES = 256 };

#define API __attribute__((visibility("default")))
#define ALIAS(name, of) extern __typeof(of) name __attribute__((alias(#of), visibility("default")))
#define POINTER(address) ((void *)(uintptr_t)(address))

struct device {
    char name[256], architecture[64];
    uint8_t uuid[16];
    uint64_t memory_bytes;
    uint32_t version, count;
    int32_t attributes[MOST_ATTRIBUTES][2];
} __attribute__((packed));

struct module {
    uint32_t number;
};
struct function {
    struct module *module;
    char name[512];
    uint32_t count, sizes[MOST_PARAMETERS], allowed_bytes;
};
struct shape {
    uint32_t grid[3], block[3], shared_bytes, cooperative, cluster[3];
};

static char *const memory_start = POINTER(0x200000000000);
static struct device device;
static int server = -1, said_code;
static pid_t owner;
static char said[4096];
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

/* Keeps a message, which is what the driver's function for the text of this error returns from now on. */
static int refuse(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    return said_code = code;
}

static int send_all(const void *data, size_t size) {
    for (const char *from = data; size;) {
        ssize_t sent = send(server, from, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return 0;
        from += sent, size -= sent;
    }
    return 1;
}
static int receive_all(void *data, size_t size) {
    for (char *to = data; size;) {
        ssize_t got = recv(server, to, size, 0);
        if (got <= 0)
            return 0;
        to += got, size -= got;
    }
    return 1;
}
static int lost(void) {
    close(server);
    server = -1;
    return refuse(LAUNCH_FAILED, "the process of the simulated device has ended");
}

/* Receives the head of the first reply, and with it the file that is the device's memory. */
static int receive_first(uint32_t *head, int *file) {
    char room[CMSG_SPACE(sizeof(int))];
    struct iovec part = {head, 8};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(server, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != 8)
        return 0;
    struct cmsghdr *one = CMSG_FIRSTHDR(&message);
    *file = -1;
    if (one && one->cmsg_type == SCM_RIGHTS)
        memcpy(file, CMSG_DATA(one), sizeof *file);
    return 1;
}

/* Asks the server; returns the status. `reply` has room for `room` bytes, and what comes is exactly that or less. */
static int exchange(uint32_t kind, const void *head, uint32_t head_bytes, const void *data, uint32_t data_bytes,
                    void *reply, uint32_t room, int *file) {
    uint32_t question[2] = {kind, head_bytes + data_bytes}, answer[2];
    if (!send_all(question, 8) || !send_all(head, head_bytes) || !send_all(data, data_bytes))
        return lost();
    if (file ? !receive_first(answer, file) : !receive_all(answer, 8))
        return lost();
    char *got = answer[1] ? malloc(answer[1] + 1) : NULL;
    if (answer[1] && (!got || answer[1] > MOST_REPLY || !receive_all(got, answer[1])))
        return free(got), lost();
    int status = (int)answer[0];
    if (status) {
        refuse(status, "%.*s", (int)answer[1], got ? got : "");
        if (kind == LAUNCH || kind == MODULE) /* at once: programs have crashed on the way to say it */
            fprintf(stderr, "simulated device: %s\n", said);
    } else if (got) {
        memcpy(reply, got, answer[1] < room ? answer[1] : room);
    }
    return free(got), status;
}
static int ask(uint32_t kind, const void *head, uint32_t head_bytes, const void *data, uint32_t data_bytes, void *reply,
               uint32_t room) {
    pthread_mutex_lock(&asking);
    int status = server < 0          ? refuse(NOT_INITIALIZED, "the simulated device is not there (any more)")
                 : owner != getpid() ? refuse(NOT_INITIALIZED, "a process that was forked cannot use its parent's device")
                                     : exchange(kind, head, head_bytes, data, data_bytes, reply, room, NULL);
    pthread_mutex_unlock(&asking);
    return status;
}

/* Finds the device; `vendor` is "cuda" or "hip". Without one, that is no error yet: programs ask how many there are. */
static void connect_device(const char *vendor) {
    const char *name = getenv("ROLLER_SIM_DRIVER");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = -1;
    pthread_mutex_lock(&asking);
    if (!name || owner == getpid() || strlen(name) + 2 > sizeof address.sun_path)
        goto end;
    strcpy(address.sun_path + 1, name);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    owner = getpid();
    if (connect(server, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) {
        lost();
        goto end;
    }
    if (exchange(HELLO, vendor, strlen(vendor), NULL, 0, &device, sizeof device, &file) || file < 0)
        goto drop;
    void *at = mmap(memory_start, device.memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (at == (void *)memory_start)
        goto end;
    refuse(OUT_OF_MEMORY, "%p, where the simulated device has its memory, is taken", (void *)memory_start);
drop:
    close(server);
    server = -1;
end:
    if (file >= 0)
        close(file);
    pthread_mutex_unlock(&asking);
}
static int devices(void) { return server >= 0 && owner == getpid(); }

static int attribute_of(int *value, int attribute) {
    for (uint32_t i = 0; i < device.count; i++)
        if (device.attributes[i][0] == attribute)
            return *value = device.attributes[i][1], SUCCESS;
    return refuse(INVALID_VALUE, "the simulated device does not say attribute %d", attribute);
}

/* Memory */
static int on_device(uint64_t address) {
    return address - (uint64_t)(uintptr_t)memory_start < device.memory_bytes;
}
static int allocate(uint64_t *address, uint64_t size) { return ask(ALLOCATE, &size, 8, NULL, 0, address, 8); }
static int give_back(uint64_t address) { return address ? ask(FREE, &address, 8, NULL, 0, NULL, 0) : SUCCESS; }
static int check(uint64_t address, uint64_t size) {
    uint64_t range[] = {address, size};
    return on_device(address) ? ask(CHECK, range, 16, NULL, 0, NULL, 0) : SUCCESS;
}
static int check_device(uint64_t address, uint64_t size) {
    return size && !on_device(address) ? refuse(INVALID_VALUE, "%#llx is no address of the device", (long long)address)
                                       : check(address, size);
}
static int copy(uint64_t to, uint64_t from, size_t size) {
    int status = size ? check(to, size) : SUCCESS;
    if (status || !size || (status = check(from, size)))
        return status;
    return memmove(POINTER(to), POINTER(from), size), SUCCESS;
}
static int fill(uint64_t to, uint32_t value, size_t width, size_t count) {
    int status = check_device(to, width * count);
    for (size_t i = 0; !status && i < count; i++)
        memcpy((char *)POINTER(to) + i * width, &value, width);
    return status;
}

/* Kernels */
static size_t image_bytes(const char *image) {
    if (memcmp(image, "\177ELF", 4))
        return strlen(image);
    const Elf64_Ehdr *head = (const void *)image;
    size_t end = head->e_phoff + (size_t)head->e_phentsize * head->e_phnum;
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    if (head->e_shnum && end < head->e_shoff + (size_t)head->e_shentsize * head->e_shnum)
        end = head->e_shoff + (size_t)head->e_shentsize * head->e_shnum;
    for (int i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type != SHT_NOBITS && sections[i].sh_offset + sections[i].sh_size > end)
            end = sections[i].sh_offset + sections[i].sh_size;
    return end;
}
static int load_module(struct module **made, const char *image) {
    struct module one;
    int status = ask(MODULE, NULL, 0, image, image_bytes(image), &one.number, 4);
    if (!status)
        *made = memcpy(malloc(sizeof one), &one, sizeof one);
    return status;
}
static int find_function(struct function **made, struct module *module, const char *name) {
    struct function *one = calloc(1, sizeof *one);
    uint32_t reply[1 + MOST_PARAMETERS] = {0};
    int status = ask(FUNCTION, &module->number, 4, name, strlen(name), reply, sizeof reply);
    if (!status && (reply[0] > MOST_PARAMETERS || strlen(name) >= sizeof one->name))
        status = refuse(NOT_SUPPORTED, "kernel '%s' has more parameters, or a longer name, than this driver holds", name);
    if (status)
        return free(one), status;
    one->module = module, one->count = reply[0];
    memcpy(one->sizes, reply + 1, sizeof one->sizes);
    strcpy(one->name, name);
    return *made = one, SUCCESS;
}
static size_t parameter_bytes(const struct function *function) {
    size_t sum = 0;
    for (uint32_t i = 0; i < function->count; i++)
        sum += function->sizes[i];
    return sum;
}
/* Writes the values of parameters one behind the other. */
static void gather(const struct function *function, void **parameters, char *values) {
    for (uint32_t i = 0; i < function->count; values += function->sizes[i++])
        memcpy(values, parameters[i], function->sizes[i]);
}
static int launch_values(const struct function *function, const struct shape *shape, const char *values) {
    size_t size = parameter_bytes(function), name = strlen(function->name);
    char *data = malloc(8 + size + name);
    memcpy(data, &(uint32_t[]){function->module->number, (uint32_t)size}, 8);
    memcpy(data + 8, values, size);
    memcpy(data + 8 + size, function->name, name);
    int status = ask(LAUNCH, shape, sizeof *shape, data, 8 + size + name, NULL, 0);
    return free(data), status;
}
static int launch(const struct function *function, const struct shape *shape, void **parameters, void **extra) {
    if (extra || (function->count && !parameters))
        return refuse(NOT_SUPPORTED, "the simulated driver takes parameters as an array of their addresses only");
    char *values = malloc(parameter_bytes(function) + 1);
    gather(function, parameters, values);
    int status = launch_values(function, shape, values);
    return free(values), status;
}
static int resident_blocks(int *blocks, int threads, int most_threads) {
    return threads > 0 ? (*blocks = most_threads / threads, SUCCESS) : refuse(INVALID_VALUE, "a block has threads");
}

/* Events note the host's time; nobody has to wait for them. */
struct event {
    struct timespec time;
};
static int make_event(struct event **made) { return *made = calloc(1, sizeof **made), SUCCESS; }
static int note_event(struct event *event) { return clock_gettime(CLOCK_MONOTONIC, &event->time), SUCCESS; }
static int elapsed(float *milliseconds, const struct event *from, const struct event *to) {
    *milliseconds = (float)((double)(to->time.tv_sec - from->time.tv_sec) * 1e3 +
                            (double)(to->time.tv_nsec - from->time.tv_nsec) * 1e-6);
    return SUCCESS;
}

/* Functions of the host: a thread calls them in order; who waits for a stream waits until it has called them all. */
struct host {
    void (*call)(void *);
    void *data;
    struct host *next;
};
static struct host *first_host, **last_host = &first_host;
static pthread_mutex_t hosts = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more_hosts = PTHREAD_COND_INITIALIZER, no_hosts = PTHREAD_COND_INITIALIZER;
static pthread_t host_thread;
static int host_started, host_calls;

static void *call_hosts(void *unused) {
    pthread_mutex_lock(&hosts);
    for (;;) {
        struct host *one = first_host;
        if (!one) {
            host_calls = 0;
            pthread_cond_broadcast(&no_hosts);
            pthread_cond_wait(&more_hosts, &hosts);
            continue;
        }
        if (!(first_host = one->next))
            last_host = &first_host;
        pthread_mutex_unlock(&hosts);
        one->call(one->data);
        free(one);
        pthread_mutex_lock(&hosts);
    }
    return unused;
}
static int call_host(void (*call)(void *), void *data) {
    struct host *one = malloc(sizeof *one);
    *one = (struct host){call, data, NULL};
    pthread_mutex_lock(&hosts);
    if (!host_started && !pthread_create(&host_thread, NULL, call_hosts, NULL))
        host_started = 1, pthread_detach(host_thread);
    *last_host = one, last_host = &one->next, host_calls = 1;
    pthread_cond_signal(&more_hosts);
    pthread_mutex_unlock(&hosts);
    return SUCCESS;
}
static int wait_for_hosts(void) {
    pthread_mutex_lock(&hosts);
    while (host_calls && !pthread_equal(pthread_self(), host_thread))
        pthread_cond_wait(&no_hosts, &hosts);
    pthread_mutex_unlock(&hosts);
    return SUCCESS;
}
