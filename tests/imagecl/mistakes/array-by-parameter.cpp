// RUN: exits-with 1 pm-translate --from=imagecl %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a parameter may be any index; the point is found with many sizes, too
#pragma imcl grid(in)
void scatter(Image<uchar> in, int *counts, Image<uchar> mirrored, Image<short> twice, int first) {
    uchar v = in[idx][idy];
// CHECK: :[[#@LINE+1]]:19: error: counts_out(-1) is updated for y = 0, x = 0, in_width = 1, in_height = 1, counts_length = 1, {{.*}}first = -1, but an update should change counts_out only inside its domain
    counts[first] += 1;
    mirrored[2 * idx][idy + 1] = v;
    mirrored[2 * idx + 1][idy + 1]++;
    twice[v / 8][3] -= v;
}
