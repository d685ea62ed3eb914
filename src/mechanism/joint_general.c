// General joint: the user lists the components that are kept. Constraints:
//
//     f_i . D = 0       for each translation i
//     rotations         three: psi = 0; two, k being the free axis: the k axes stay parallel; one, k being
//                       the kept axis: f_i . g_j = 0 (i, j, k cyclic), as for a universal joint
//                       (joint_build.c)
#include "mechanism/joint_type.h"

static const SchemaKey joint_general_keys[] = {
    {"translations", AXES(JointDefinition, translations), .fallback_words = "none",
     .doc = "Of a general joint: along which of its axes the second point is kept."},
    {"rotations", AXES(JointDefinition, rotations), .fallback_words = "none",
     .doc = "Of a general joint: about which of its axes the second node is kept from turning."},
};

static JointComponents joint_general_choose(const JointDefinition *joint) {
    JointComponents kept;
    for (int k = 0; k < 3; k++) {
        kept.along[k] = joint->translations[k];
        kept.about[k] = joint->rotations[k];
    }
    return kept;
}

static void joint_general_check(const JointDefinition *joint, const Findings *findings) {
    for (int k = 0; k < 3; k++)
        if (joint->translations[k] || joint->rotations[k]) return;
    findings_object_error(findings, joint, "joint '%s' keeps nothing: list 'translations' or 'rotations'",
                          joint->name);
}

const JointType joint_general = {
    JOINT_SCHEMA_WITH("general", "What is kept is listed in `translations` and `rotations`.",
                      joint_general_keys),
    .words = "is held by a general joint on",
    .choose = joint_general_choose,
    .check = joint_general_check,
};
