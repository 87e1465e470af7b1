/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Graphs: their nodes run in the order in which they were added, which every dependence keeps, as a node can only stand
 * behind those that are there. Who may start before others have ended starts behind them, too.
 */
struct node {
    int kind; /* 0: empty */
    struct function *function;
    struct shape shape;
    char *values;
    uint64_t to, from;
    size_t width, count;
    uint32_t value;
    struct node *next;
};
enum { KERNEL_NODE = 1, COPY_NODE, FILL_NODE };
struct graph {
    struct node *first, **last;
    size_t count;
};

static int make_graph(struct graph **made) {
    struct graph *one = calloc(1, sizeof *one);
    one->last = &one->first;
    return *made = one, SUCCESS;
}
static struct node *add_node(struct graph *graph, int kind) {
    struct node *one = calloc(1, sizeof *one);
    one->kind = kind;
    *graph->last = one, graph->last = &one->next, graph->count++;
    return one;
}
static int stands_before(const struct graph *graph, const struct node *first, const struct node *second) {
    int seen = 0;
    for (const struct node *one = graph->first; one && one != second; one = one->next)
        seen |= one == first;
    return seen;
}
static int free_graph(struct graph *graph) {
    for (struct node *one = graph->first, *next; one; one = next)
        next = one->next, free(one->values), free(one);
    return free(graph), SUCCESS;
}
static int instantiate(struct graph **made, const struct graph *graph) {
    make_graph(made);
    for (const struct node *from = graph->first; from; from = from->next) {
        struct node *one = add_node(*made, from->kind), *next = one->next;
        *one = *from, one->next = next;
        if (from->values)
            one->values = memcpy(malloc(parameter_bytes(from->function) + 1), from->values, parameter_bytes(from->function));
    }
    return SUCCESS;
}
static int launch_graph(const struct graph *graph) {
    int status = SUCCESS;
    for (const struct node *one = graph->first; one && !status; one = one->next)
        status = one->kind == KERNEL_NODE ? launch_values(one->function, &one->shape, one->values)
                 : one->kind == COPY_NODE ? copy(one->to, one->from, one->width)
                 : one->kind == FILL_NODE ? fill(one->to, one->value, one->width, one->count)
                                          : SUCCESS;
    return status;
}
