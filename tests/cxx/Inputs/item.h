#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
int PASTE(ITEM, _value) = sizeof(int);
#undef PASTE
#undef PASTE_
