// Contact problems as text files: see problem.h.
//
// One keyword and its numbers a line, in the order of the arrays; as many digits as keep every bit.
//   maraca contact problem 1
//   law relaxed | coulomb
//   body 1/m 1/I v v v w w w
//   group COUNT body... number...
//   contact a b n n n arm_a arm_a arm_a arm_b arm_b arm_b bias bias bias friction rolling spinning
//                              *x in place of three numbers: x times the normal, as arms and bias of spheres
//                              are
//   row a b J_a (6) J_b (6) bias compliance
//   impulse p p p m m m        per contact, if there is a solution
//   lambda x                   per row, likewise
//   end
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "contact/problem.h"

static const char *const heading = "maraca contact problem 1";
enum { largest_file = 1 << 30 };

// ---- saving --------------------------------------------------------------------------------------
static void put_number(FILE *out, double x) {
    char text[32];
    int digits = 15;
    do snprintf(text, sizeof text, "%.*g", digits, x);
    while (strtod(text, NULL) != x && digits++ < 17);
    fputs(text, out);
}

static void put_numbers(FILE *out, const double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fputc(' ', out);
        put_number(out, x[i]);
    }
}

static void put_vector(FILE *out, Vec3 v) { put_numbers(out, (double[]){v.x, v.y, v.z}, 3); }

// The number that makes `v` of `normal`, to the last bit; false: there is none.
static bool find_factor(Vec3 v, Vec3 normal, double *factor) {
    int k = fabs(normal.y) > fabs(normal.x) ? 1 : 0;
    if (fabs(normal.z) > fabs(vec3_component(normal, k))) k = 2;
    double middle = vec3_component(v, k) / vec3_component(normal, k);
    double tries[] = {middle, nextafter(middle, INFINITY), nextafter(middle, -INFINITY)};
    for (int i = 0; i < 3; i++) {
        Vec3 made = vec3_scale(tries[i], normal);
        *factor = tries[i];
        if (made.x == v.x && made.y == v.y && made.z == v.z) return true;
    }
    return false;
}

static void put_vector_along(FILE *out, Vec3 v, Vec3 normal) {
    double factor;
    if (!find_factor(v, normal, &factor)) {
        put_vector(out, v);
        return;
    }
    fputs(" *", out);
    put_number(out, factor);
}

static void put_twist(FILE *out, Twist t) {
    put_vector(out, t.linear);
    put_vector(out, t.angular);
}

static void put_problem(FILE *out, const ContactProblem *p) {
    fprintf(out, "%s\nlaw %s\n", heading, p->law == CONTACT_COULOMB ? "coulomb" : "relaxed");
    for (size_t i = 0; i < p->bodies.count; i++) {
        fputs("body", out);
        put_numbers(out, (double[]){p->bodies.data[i].inverse_mass, p->bodies.data[i].inverse_inertia}, 2);
        put_twist(out, p->free_velocity.data[i]);
        fputc('\n', out);
    }
    for (size_t g = 0; g < p->groups.count; g++) {
        const ContactGroup *group = &p->groups.data[g];
        fprintf(out, "group %d", group->count);
        for (int32_t k = 0; k < group->count; k++)
            fprintf(out, " %d", p->group_bodies.data[group->first_body + k]);
        put_numbers(out, p->group_numbers.data + group->first_number,
                    36 * (size_t)group->count * (size_t)group->count);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->contacts.count; i++) {
        const ContactPoint *c = &p->contacts.data[i];
        fprintf(out, "contact %d %d", c->a, c->b);
        put_vector(out, c->normal);
        put_vector_along(out, c->arm_a, c->normal);
        put_vector_along(out, c->arm_b, c->normal);
        put_vector_along(out, c->bias, c->normal);
        put_numbers(out, (double[]){c->friction, c->rolling, c->spinning}, 3);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->rows.count; i++) {
        const ContactRow *row = &p->rows.data[i];
        fprintf(out, "row %d %d", row->a, row->b);
        put_twist(out, row->jacobian_a);
        put_twist(out, row->jacobian_b);
        put_numbers(out, (double[]){row->bias, row->compliance}, 2);
        fputc('\n', out);
    }
}

MrcStatus contact_problem_save(const ContactProblem *problem, const ContactSolution *solution,
                               const char *path, MrcError *error) {
    FileWriter writer;
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    put_problem(writer.stream, problem);
    for (size_t i = 0; solution && i < solution->impulses.count; i++) {
        fputs("impulse", writer.stream);
        put_vector(writer.stream, solution->impulses.data[i].linear);
        put_vector(writer.stream, solution->impulses.data[i].angular);
        fputc('\n', writer.stream);
    }
    for (size_t i = 0; solution && i < solution->lambdas.count; i++) {
        fputs("lambda", writer.stream);
        put_numbers(writer.stream, &solution->lambdas.data[i], 1);
        fputc('\n', writer.stream);
    }
    fputs("end\n", writer.stream);
    return file_commit(&writer, error);
}

// ---- loading -------------------------------------------------------------------------------------
typedef struct Reader {
    const char *at, *path;
    int line;
    MrcStatus status; // the first failure stays
    MrcError *error;
} Reader;

static void complain(Reader *r, const char *what) {
    if (r->status != MRC_OK) return;
    r->status = error_set(r->error, MRC_READ_FAILED, "%s, line %d: %s", r->path, r->line, what);
}

static double get_number(Reader *r) {
    while (*r->at == ' ') r->at++;
    char *end;
    double x = *r->at == '\n' ? 0 : strtod(r->at, &end);
    if (*r->at == '\n' || end == r->at) {
        complain(r, "a number is missing");
        return 0;
    }
    r->at = end;
    return x;
}

static int32_t get_index(Reader *r) {
    double x = get_number(r);
    if (!(x >= -1 && x <= INT32_MAX) || x != (double)(int32_t)x) {
        complain(r, "not an index");
        return -1;
    }
    return (int32_t)x;
}

static Vec3 get_vector(Reader *r) {
    double x = get_number(r), y = get_number(r), z = get_number(r);
    return vec3(x, y, z);
}

static Vec3 get_vector_along(Reader *r, Vec3 normal) {
    while (*r->at == ' ') r->at++;
    if (*r->at != '*') return get_vector(r);
    r->at++;
    return vec3_scale(get_number(r), normal);
}

static Twist get_twist(Reader *r) {
    Vec3 linear = get_vector(r), angular = get_vector(r);
    return (Twist){linear, angular};
}

static bool get_word(Reader *r, const char *word) {
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || (r->at[length] != ' ' && r->at[length] != '\n')) return false;
    r->at += length;
    return true;
}

static void get_group(Reader *r, ContactProblem *p) {
    int32_t count = get_index(r);
    if (count < 1 || (size_t)count > p->bodies.count) {
        complain(r, "a group of no bodies, or of more than there are");
        return;
    }
    size_t numbers = 36 * (size_t)count * (size_t)count;
    int32_t *bodies = memory_alloc((size_t)count * sizeof *bodies);
    double *matrix = memory_alloc(numbers * sizeof *matrix);
    if (!bodies || !matrix) complain(r, "out of memory");
    for (int32_t k = 0; k < count && r->status == MRC_OK; k++) {
        bodies[k] = get_index(r);
        if (bodies[k] < 0 || (size_t)bodies[k] >= p->bodies.count || p->bodies.data[bodies[k]].group >= 0)
            complain(r, "no such body, or in two groups");
    }
    for (size_t k = 0; k < numbers && r->status == MRC_OK; k++) matrix[k] = get_number(r);
    if (r->status == MRC_OK && contact_problem_add_group(p, count, bodies, matrix) < 0)
        complain(r, "out of memory");
    memory_free(bodies);
    memory_free(matrix);
}

static bool get_contact(Reader *r, ContactProblem *p) {
    ContactPoint c;
    c.a = get_index(r), c.b = get_index(r);
    c.normal = get_vector(r);
    c.arm_a = get_vector_along(r, c.normal), c.arm_b = get_vector_along(r, c.normal);
    c.bias = get_vector_along(r, c.normal);
    c.friction = get_number(r), c.rolling = get_number(r), c.spinning = get_number(r);
    return contact_problem_add_contact(p, c) >= 0;
}

static bool get_row(Reader *r, ContactProblem *p) {
    ContactRow row;
    row.a = get_index(r), row.b = get_index(r);
    row.jacobian_a = get_twist(r), row.jacobian_b = get_twist(r);
    row.bias = get_number(r), row.compliance = get_number(r);
    return contact_problem_add_row(p, row) >= 0;
}

static void get_line(Reader *r, ContactProblem *p, ContactSolution *s) {
    bool room = true;
    if (get_word(r, "law")) {
        r->at += *r->at == ' ';
        if (get_word(r, "coulomb")) p->law = CONTACT_COULOMB;
        else if (get_word(r, "relaxed")) p->law = CONTACT_RELAXED;
        else complain(r, "no such law");
    } else if (get_word(r, "body")) {
        double mass = get_number(r), inertia = get_number(r);
        room = contact_problem_add_body(p, mass, inertia, get_twist(r)) >= 0;
    } else if (get_word(r, "group")) get_group(r, p);
    else if (get_word(r, "contact")) room = get_contact(r, p);
    else if (get_word(r, "row")) room = get_row(r, p);
    else if (get_word(r, "impulse")) {
        Twist t = get_twist(r);
        room = !s || array_push(&s->impulses, (ContactImpulse){t.linear, t.angular});
    } else if (get_word(r, "lambda")) {
        double lambda = get_number(r);
        room = !s || array_push(&s->lambdas, lambda);
    } else complain(r, "no keyword that is known");
    if (!room) complain(r, "out of memory");
    while (*r->at == ' ') r->at++;
    if (*r->at != '\n') complain(r, "more on the line than expected");
    else r->at++, r->line++;
}

MrcStatus contact_problem_load(ContactProblem *problem, ContactSolution *solution, const char *path,
                               MrcError *error) {
    char *text;
    size_t length;
    MrcStatus status = file_read(path, largest_file, &text, &length, error);
    if (status != MRC_OK) return status;
    Reader reader = {text, path, 1, MRC_OK, error};
    contact_problem_clear(problem);
    if (solution) contact_solution_clear(solution);
    size_t head = strlen(heading);
    if (strncmp(text, heading, head) != 0 || text[head] != '\n')
        complain(&reader, "not a contact problem, or a newer one");
    else reader.at += head + 1, reader.line++;
    while (reader.status == MRC_OK && !get_word(&reader, "end")) get_line(&reader, problem, solution);
    free(text);
    if (reader.status == MRC_OK && solution) reader.status = contact_solution_fit(solution, problem, error);
    return reader.status == MRC_OK ? contact_problem_check(problem, error) : reader.status;
}
