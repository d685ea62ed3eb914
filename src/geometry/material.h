// Materials: what bodies, grains and walls are made of.
#ifndef GEOMETRY_MATERIAL_H
#define GEOMETRY_MATERIAL_H

typedef struct Material {
    const char *name;
    double density;           // [kg/m^3]
    double young;             // Young's modulus [Pa]; 0: not given
    double poisson;           // Poisson's ratio [1]
    double friction;          // Coulomb coefficient against itself [1]
    double restitution;       // rebound over approach speed against itself, 0 to 1
    double rolling_friction;  // against itself [1]
    double spinning_friction; // about the line of contact, against itself [1]; rigid grains only
    double cohesion;          // tension that a contact with itself holds [N]
    double wear;              // volume worn off per work of friction [m^3/J]
    double adhesion;          // work of adhesion with itself [J/m^2]; smooth grains only
} Material;

// Coefficients of two materials against each other; negative: not given, the smaller of the two materials'
// own counts.
typedef struct MaterialPair {
    const char *name;
    const char *first, *second; // names of materials
    double friction, restitution, rolling_friction, spinning_friction, cohesion, adhesion;
} MaterialPair;

// The material of that name; NULL: there is none, or `name` is NULL. Its place in the list: -1.
const Material *material_by_name(const Material *materials, int count, const char *name);
int material_find(const Material *materials, int count, const char *name);

// E' of a contact of elastic bodies, 1/E' = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b [Pa]
double material_effective_young(const Material *a, const Material *b);

#endif
