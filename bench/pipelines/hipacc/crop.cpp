// A filter of a part of a picture: borders are those of the part, and around it the result keeps what it has.
#include "hipacc.hpp"

#define WIDTH 1024
#define HEIGHT 1024
#define LEFT (WIDTH / 4)
#define TOP (HEIGHT / 3)
#define CROP_WIDTH (WIDTH - LEFT - WIDTH / 5)
#define CROP_HEIGHT (HEIGHT - TOP - HEIGHT / 4)

using namespace hipacc;

class Brighten : public Kernel<short> {
    Accessor<uchar> &in;

  public:
    Brighten(IterationSpace<short> &iter, Accessor<uchar> &in) : Kernel(iter), in(in) { add_accessor(&in); }
    void kernel() { output() = in() + 3 * x() - y(); }
};

class Window : public Kernel<short> {
    Accessor<uchar> &walls, &tiles, &table;
    int radius;

  public:
    Window(IterationSpace<short> &iter, Accessor<uchar> &walls, Accessor<uchar> &tiles, Accessor<uchar> &table,
           int radius)
        : Kernel(iter), walls(walls), tiles(tiles), table(table), radius(radius) {
        add_accessor(&walls);
        add_accessor(&tiles);
        add_accessor(&table);
    }

    void kernel() {
        int sum = 0;
        for (int dy = -radius; dy <= radius; ++dy)
            for (int dx = -radius; dx <= radius; ++dx) sum += walls(dx, dy);
        if (x() < 2) return;
        short difference = sum / 9 - tiles(7, -5);
        difference += table.pixel_at(walls() % 4, y());
        output() = output() + difference;
    }
};

HIPACC_CODEGEN int main(int argc, const char **argv) {
    uchar *pixels = load_data<uchar>(WIDTH, HEIGHT, 1, "photo.jpg");
    Image<uchar> photo(WIDTH, HEIGHT, pixels);
    Image<short> framed(WIDTH, HEIGHT);

    Accessor<uchar> all(photo);
    IterationSpace<short> everywhere(framed);
    Brighten brighten(everywhere, all);
    brighten.execute();

    BoundaryCondition<uchar> by_constant(photo, 3, 3, Boundary::CONSTANT, 255);
    BoundaryCondition<uchar> by_repeat(photo, 15, 11, Boundary::REPEAT);
    Accessor<uchar> walls(by_constant, CROP_WIDTH, CROP_HEIGHT, LEFT, TOP);
    Accessor<uchar> tiles(by_repeat, CROP_WIDTH, CROP_HEIGHT, LEFT, TOP);
    IterationSpace<short> inside(framed, CROP_WIDTH, CROP_HEIGHT, LEFT, TOP);
    Window window(inside, walls, tiles, all, 1);
    window.execute();

    save_data(WIDTH, HEIGHT, 1, framed.data(), "framed.png");
    return EXIT_SUCCESS;
}
