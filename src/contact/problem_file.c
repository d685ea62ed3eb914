// Contact problems as text files: see problem.h.
//
// One keyword and its numbers a line, in the order of the arrays; as many digits as keep every bit.
//   maraca contact problem 1
//   law relaxed | coulomb [dilation]
//   body 1/m 1/I v v v w w w
//   rigid 1/m xx yy zz xy yz zx v v v w w w      a body with an inverse inertia tensor
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
#include "base/number.h"
#include "contact/problem.h"
#include "math/inertia.h"

static const char *const problem_file_heading = "maraca contact problem 1";
enum { largest_file = 1 << 30 };

// ---- saving --------------------------------------------------------------------------------------
static void problem_file_put_number(FILE *out, double x) {
    char text[32];
    int digits = 15;
    do number_print(text, sizeof text, digits, x);
    while (number_read(text, NULL) != x && digits++ < 17);
    fputs(text, out);
}

static void problem_file_put_numbers(FILE *out, const double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fputc(' ', out);
        problem_file_put_number(out, x[i]);
    }
}

static void problem_file_put_vector(FILE *out, Vec3 v) {
    problem_file_put_numbers(out, (double[]){v.x, v.y, v.z}, 3);
}

// The number that makes `v` of `normal`, to the last bit; false: there is none.
static bool problem_file_find_factor(Vec3 v, Vec3 normal, double *factor) {
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

static void problem_file_put_vector_along(FILE *out, Vec3 v, Vec3 normal) {
    double factor;
    if (!problem_file_find_factor(v, normal, &factor)) {
        problem_file_put_vector(out, v);
        return;
    }
    fputs(" *", out);
    problem_file_put_number(out, factor);
}

static void problem_file_put_twist(FILE *out, Twist t) {
    problem_file_put_vector(out, t.linear);
    problem_file_put_vector(out, t.angular);
}

static void problem_file_put_problem(FILE *out, const ContactProblem *p) {
    fprintf(out, "%s\nlaw %s", problem_file_heading, p->law == CONTACT_COULOMB ? "coulomb" : "relaxed");
    if (p->law == CONTACT_COULOMB) problem_file_put_numbers(out, &p->dilation, 1);
    fputs("\n", out);
    for (size_t i = 0; i < p->bodies.count; i++) {
        const ContactBody *body = &p->bodies.data[i];
        fputs(body->tensor ? "rigid" : "body", out);
        problem_file_put_numbers(out, (double[]){body->inverse_mass, body->inverse_inertia},
                                 body->tensor ? 1 : 2);
        if (body->tensor) {
            const Mat3 *t = &p->tensors.data[body->tensor - 1];
            problem_file_put_numbers(
                out, (double[]){t->m[0][0], t->m[1][1], t->m[2][2], t->m[0][1], t->m[1][2], t->m[0][2]}, 6);
        }
        problem_file_put_twist(out, p->free_velocity.data[i]);
        fputc('\n', out);
    }
    for (size_t g = 0; g < p->groups.count; g++) {
        const ContactGroup *group = &p->groups.data[g];
        fprintf(out, "group %d", group->count);
        for (int32_t k = 0; k < group->count; k++)
            fprintf(out, " %d", p->group_bodies.data[group->first_body + k]);
        problem_file_put_numbers(out, p->group_numbers.data + group->first_number,
                                 36 * (size_t)group->count * (size_t)group->count);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->contacts.count; i++) {
        const ContactPoint *c = &p->contacts.data[i];
        fprintf(out, "contact %d %d", c->a, c->b);
        problem_file_put_vector(out, c->normal);
        problem_file_put_vector_along(out, c->arm_a, c->normal);
        problem_file_put_vector_along(out, c->arm_b, c->normal);
        problem_file_put_vector_along(out, c->bias, c->normal);
        problem_file_put_numbers(out, (double[]){c->friction, c->rolling, c->spinning}, 3);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->rows.count; i++) {
        const ContactRow *row = &p->rows.data[i];
        fprintf(out, "row %d %d", row->a, row->b);
        problem_file_put_twist(out, row->jacobian_a);
        problem_file_put_twist(out, row->jacobian_b);
        problem_file_put_numbers(out, (double[]){row->bias, row->compliance}, 2);
        fputc('\n', out);
    }
}

MrcStatus contact_problem_save(const ContactProblem *problem, const ContactSolution *solution,
                               const char *path, MrcError *error) {
    FileWriter writer;
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    problem_file_put_problem(writer.stream, problem);
    for (size_t i = 0; solution && i < solution->impulses.count; i++) {
        fputs("impulse", writer.stream);
        problem_file_put_vector(writer.stream, solution->impulses.data[i].linear);
        problem_file_put_vector(writer.stream, solution->impulses.data[i].angular);
        fputc('\n', writer.stream);
    }
    for (size_t i = 0; solution && i < solution->lambdas.count; i++) {
        fputs("lambda", writer.stream);
        problem_file_put_numbers(writer.stream, &solution->lambdas.data[i], 1);
        fputc('\n', writer.stream);
    }
    fputs("end\n", writer.stream);
    return file_commit(&writer, error);
}

// ---- loading -------------------------------------------------------------------------------------
typedef struct ProblemReader {
    const char *at, *path;
    int line;
    MrcStatus status; // the first failure stays
    MrcError *error;
} ProblemReader;

static void problem_file_fail(ProblemReader *r, const char *what) {
    if (r->status != MRC_OK) return;
    r->status = error_set(r->error, MRC_READ_FAILED, "%s, line %d: %s", r->path, r->line, what);
}

static double problem_file_get_number(ProblemReader *r) {
    while (*r->at == ' ') r->at++;
    char *end;
    double x = *r->at == '\n' ? 0 : number_read(r->at, &end);
    if (*r->at == '\n' || end == r->at) {
        problem_file_fail(r, "a number is missing");
        return 0;
    }
    r->at = end;
    return x;
}

static int32_t problem_file_get_index(ProblemReader *r) {
    double x = problem_file_get_number(r);
    if (!(x >= -1 && x <= INT32_MAX) || x != (double)(int32_t)x) {
        problem_file_fail(r, "not an index");
        return -1;
    }
    return (int32_t)x;
}

static Vec3 problem_file_get_vector(ProblemReader *r) {
    double x = problem_file_get_number(r), y = problem_file_get_number(r), z = problem_file_get_number(r);
    return vec3(x, y, z);
}

static Vec3 problem_file_get_vector_along(ProblemReader *r, Vec3 normal) {
    while (*r->at == ' ') r->at++;
    if (*r->at != '*') return problem_file_get_vector(r);
    r->at++;
    return vec3_scale(problem_file_get_number(r), normal);
}

static Twist problem_file_get_twist(ProblemReader *r) {
    Vec3 linear = problem_file_get_vector(r), angular = problem_file_get_vector(r);
    return (Twist){linear, angular};
}

static bool problem_file_get_word(ProblemReader *r, const char *word) {
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || (r->at[length] != ' ' && r->at[length] != '\n')) return false;
    r->at += length;
    return true;
}

static void problem_file_get_group(ProblemReader *r, ContactProblem *p) {
    int32_t count = problem_file_get_index(r);
    if (count < 1 || (size_t)count > p->bodies.count) {
        problem_file_fail(r, "a group of no bodies, or of more than there are");
        return;
    }
    size_t numbers = 36 * (size_t)count * (size_t)count;
    int32_t *bodies = memory_alloc((size_t)count * sizeof *bodies);
    double *matrix = memory_alloc(numbers * sizeof *matrix);
    if (!bodies || !matrix) problem_file_fail(r, "out of memory");
    for (int32_t k = 0; k < count && r->status == MRC_OK; k++) {
        bodies[k] = problem_file_get_index(r);
        if (bodies[k] < 0 || (size_t)bodies[k] >= p->bodies.count || p->bodies.data[bodies[k]].group >= 0)
            problem_file_fail(r, "no such body, or in two groups");
    }
    for (size_t k = 0; k < numbers && r->status == MRC_OK; k++) matrix[k] = problem_file_get_number(r);
    if (r->status == MRC_OK && contact_problem_add_group(p, count, bodies, matrix) < 0)
        problem_file_fail(r, "out of memory");
    memory_free(bodies);
    memory_free(matrix);
}

static bool problem_file_get_contact(ProblemReader *r, ContactProblem *p) {
    ContactPoint c;
    c.a = problem_file_get_index(r), c.b = problem_file_get_index(r);
    c.normal = problem_file_get_vector(r);
    c.arm_a = problem_file_get_vector_along(r, c.normal),
    c.arm_b = problem_file_get_vector_along(r, c.normal);
    c.bias = problem_file_get_vector_along(r, c.normal);
    c.friction = problem_file_get_number(r), c.rolling = problem_file_get_number(r),
    c.spinning = problem_file_get_number(r);
    return contact_problem_add_contact(p, c) >= 0;
}

static bool problem_file_get_row(ProblemReader *r, ContactProblem *p) {
    ContactRow row;
    row.a = problem_file_get_index(r), row.b = problem_file_get_index(r);
    row.jacobian_a = problem_file_get_twist(r), row.jacobian_b = problem_file_get_twist(r);
    row.bias = problem_file_get_number(r), row.compliance = problem_file_get_number(r);
    return contact_problem_add_row(p, row) >= 0;
}

static void problem_file_get_line(ProblemReader *r, ContactProblem *p, ContactSolution *s) {
    bool room = true;
    if (problem_file_get_word(r, "law")) {
        r->at += *r->at == ' ';
        if (problem_file_get_word(r, "coulomb")) {
            p->law = CONTACT_COULOMB;
            p->dilation = *r->at == ' ' ? problem_file_get_number(r) : 0;
        } else if (problem_file_get_word(r, "relaxed")) p->law = CONTACT_RELAXED;
        else problem_file_fail(r, "no such law");
    } else if (problem_file_get_word(r, "body")) {
        double mass = problem_file_get_number(r), inertia = problem_file_get_number(r);
        room = contact_problem_add_body(p, mass, inertia, problem_file_get_twist(r)) >= 0;
    } else if (problem_file_get_word(r, "rigid")) {
        double mass = problem_file_get_number(r), six[6];
        for (int k = 0; k < 6; k++) six[k] = problem_file_get_number(r);
        room = contact_problem_add_rigid(p, mass, inertia_matrix(six), problem_file_get_twist(r)) >= 0;
    } else if (problem_file_get_word(r, "group")) problem_file_get_group(r, p);
    else if (problem_file_get_word(r, "contact")) room = problem_file_get_contact(r, p);
    else if (problem_file_get_word(r, "row")) room = problem_file_get_row(r, p);
    else if (problem_file_get_word(r, "impulse")) {
        Twist t = problem_file_get_twist(r);
        room = !s || array_push(&s->impulses, (ContactImpulse){t.linear, t.angular});
    } else if (problem_file_get_word(r, "lambda")) {
        double lambda = problem_file_get_number(r);
        room = !s || array_push(&s->lambdas, lambda);
    } else problem_file_fail(r, "no keyword that is known");
    if (!room) problem_file_fail(r, "out of memory");
    while (*r->at == ' ') r->at++;
    if (*r->at != '\n') problem_file_fail(r, "more on the line than expected");
    else r->at++, r->line++;
}

MrcStatus contact_problem_load(ContactProblem *problem, ContactSolution *solution, const char *path,
                               MrcError *error) {
    char *text;
    size_t length;
    MrcStatus status = file_read(path, largest_file, &text, &length, error);
    if (status != MRC_OK) return status;
    ProblemReader reader = {text, path, 1, MRC_OK, error};
    contact_problem_clear(problem);
    if (solution) contact_solution_clear(solution);
    size_t head = strlen(problem_file_heading);
    if (strncmp(text, problem_file_heading, head) != 0 || text[head] != '\n')
        problem_file_fail(&reader, "not a contact problem, or a newer one");
    else reader.at += head + 1, reader.line++;
    while (reader.status == MRC_OK && !problem_file_get_word(&reader, "end"))
        problem_file_get_line(&reader, problem, solution);
    free(text);
    if (reader.status == MRC_OK && solution) reader.status = contact_solution_fit(solution, problem, error);
    return reader.status == MRC_OK ? contact_problem_check(problem, error) : reader.status;
}
