/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of roller.h: reads JSON, hashes and files. Nothing here knows of CUDA.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROLLER_DEPTH = 64 };

/* JSON: a value is the place in the text where it begins. The whole text is checked by roller_skip once, after which the
 * other functions may trust its form, though never its types. NULL is "not there". */

static const char *roller_space(const char *at) { return at + strspn(at, " \t\r\n"); }

static const char *roller_skip_string(const char *at) {
    for (at++; *at != '"'; at++) {
        if (*at == '\\')
            at++;
        if ((unsigned char)*at < ' ')
            return NULL;
    }
    return at + 1;
}

/* Returns the place behind a value, NULL if it is none. */
static const char *roller_skip(const char *at, int depth) {
    at = roller_space(at);
    if (*at == '"')
        return roller_skip_string(at);
    if (*at == '{' || *at == '[') {
        const char close = *at == '{' ? '}' : ']';
        const char *next = roller_space(at + 1);
        if (*next == close)
            return next + 1;
        for (at = next;; at = roller_space(at + 1)) {
            if (depth >= ROLLER_DEPTH)
                return NULL;
            if (close == '}') {
                if (*at != '"' || !(at = roller_skip_string(at)) || *(at = roller_space(at)) != ':')
                    return NULL;
                at++;
            }
            if (!(at = roller_skip(at, depth + 1)))
                return NULL;
            at = roller_space(at);
            if (*at == close)
                return at + 1;
            if (*at != ',')
                return NULL;
        }
    }
    size_t length = strspn(at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE"); /* numbers, true, false, null */
    return length ? at + length : NULL;
}

/* Returns the first item of an array or value of an object, or what comes behind an item; NULL: there is none. */
static const char *roller_first(const char *value, char open) {
    if (!value || *(value = roller_space(value)) != open)
        return NULL;
    value = roller_space(value + 1);
    return *value == ']' || *value == '}' ? NULL : value;
}
static const char *roller_next(const char *item) {
    item = roller_space(roller_skip(item, 0));
    return *item == ',' ? roller_space(item + 1) : NULL;
}
static size_t roller_count(const char *array) {
    size_t count = 0;
    for (const char *item = roller_first(array, '['); item; item = roller_next(item))
        count++;
    return count;
}

/* Returns the value of a key of an object. */
static const char *roller_get(const char *object, const char *key) {
    const size_t length = strlen(key);
    for (const char *at = roller_first(object, '{'); at;) {
        const char *colon = roller_space(roller_skip_string(at)), *value = roller_space(colon + 1);
        if (!strncmp(at + 1, key, length) && at[1 + length] == '"')
            return value;
        at = roller_next(value);
    }
    return NULL;
}

static int roller_text(const char *value, char *text, size_t size) {
    if (!value || *value != '"')
        return 1;
    const size_t length = (size_t)(roller_skip_string(value) - value) - 2;
    if (length >= size || memchr(value + 1, '\\', length)) /* our names need no escapes */
        return 1;
    memcpy(text, value + 1, length);
    return text[length] = 0;
}
static int roller_is(const char *value, const char *text) {
    char found[64];
    return !roller_text(value, found, sizeof found) && !strcmp(found, text);
}
static int roller_number(const char *value, uint64_t *number) {
    char *end = NULL;
    if (!value || *value < '0' || *value > '9')
        return 1;
    *number = strtoull(value, &end, 10);
    return strchr(",]} \t\r\n", *end) == NULL || *number > (uint64_t)INT64_MAX;
}
/* Reads `count` numbers, backwards if they are outermost first. */
static int roller_numbers(const char *array, uint64_t *numbers, size_t count, int backwards) {
    size_t index = 0;
    for (const char *item = roller_first(array, '['); item; item = roller_next(item), index++)
        if (index >= count || roller_number(item, numbers + (backwards ? count - 1 - index : index)))
            return 1;
    return index != count;
}

__extension__ typedef unsigned __int128 roller_wide;

/* SHA-256 as FIPS 180-4 writes it. */
static void roller_sha256(const unsigned char *data, size_t size, char text[65]) {
    uint32_t h[8], k[64], w[64], s[8];
    size_t found = 0;
    for (uint32_t n = 2; found < 64; n++) { /* fractional parts of the roots of the first primes */
        uint32_t divisor = 2;
        while (divisor * divisor <= n && n % divisor)
            divisor++;
        if (divisor * divisor <= n)
            continue;
        for (int cube = 0; cube < 2; cube++) {
            /* the largest r with r^2 <= n 2^64, or r^3 <= n 2^96, in 36 bits: its low 32 are the fraction's */
            uint64_t r = 0;
            for (int bit = 36; bit >= 0; bit--) {
                const roller_wide t = r | (uint64_t)1 << bit;
                const int fits = cube ? t * t <= ((roller_wide)n << 96) / t : t * t <= (roller_wide)n << 64;
                r = fits ? (uint64_t)t : r;
            }
            if (cube)
                k[found] = (uint32_t)r;
            else if (found < 8)
                h[found] = (uint32_t)r;
        }
        found++;
    }
    const size_t blocks = (size + 8) / 64 + 1;
    for (size_t block = 0; block < blocks; block++) {
        unsigned char bytes[64] = {0};
        const size_t start = block * 64, rest = start < size ? size - start : 0;
        memcpy(bytes, data + (rest ? start : 0), rest < 64 ? rest : 64);
        if (start <= size && rest < 64)
            bytes[rest] = 0x80;
        if (block == blocks - 1)
            for (int i = 0; i < 8; i++)
                bytes[63 - i] = (unsigned char)(((uint64_t)size * 8) >> (8 * i));
#define ROLLER_ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
        for (int i = 0; i < 64; i++) {
            const unsigned char *b = bytes + 4 * (i & 15);
            const uint32_t x = w[(i + 49) & 63], y = w[(i + 62) & 63]; /* 15 and 2 before it */
            w[i] = i < 16 ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                          : w[i - 16] + (ROLLER_ROTATE(x, 7) ^ ROLLER_ROTATE(x, 18) ^ x >> 3) + w[i - 7] +
                                (ROLLER_ROTATE(y, 17) ^ ROLLER_ROTATE(y, 19) ^ y >> 10);
        }
        memcpy(s, h, sizeof s);
        for (int i = 0; i < 64; i++) {
            const uint32_t one = s[7] + (ROLLER_ROTATE(s[4], 6) ^ ROLLER_ROTATE(s[4], 11) ^ ROLLER_ROTATE(s[4], 25)) +
                                 ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
            const uint32_t two = (ROLLER_ROTATE(s[0], 2) ^ ROLLER_ROTATE(s[0], 13) ^ ROLLER_ROTATE(s[0], 22)) +
                                 ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += one;
            s[0] = one + two;
        }
#undef ROLLER_ROTATE
        for (int i = 0; i < 8; i++)
            h[i] += s[i];
    }
    for (int i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", (unsigned)h[i]);
}

/* Reads a file of the folder with a zero byte behind it; NULL: it cannot, or has more bytes than `most`. */
static char *roller_read(const char *folder, const char *name, uint64_t most, size_t *size) {
    char path[4096], *data = NULL;
    if (!*name || *name == '.' || strpbrk(name, "/\\") ||
        (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    long end = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    if (end >= 0 && (uint64_t)end <= most && !fseek(file, 0, SEEK_SET) && (data = malloc((size_t)end + 1))) {
        *size = fread(data, 1, (size_t)end, file);
        data[*size] = 0;
    }
    fclose(file);
    return data;
}

/* Returns the object of an array in which a key has this text. */
static const char *roller_record(const char *array, const char *key, const char *text) {
    for (const char *item = roller_first(array, '['); item; item = roller_next(item))
        if (roller_is(roller_get(item, key), text))
            return item;
    return NULL;
}
