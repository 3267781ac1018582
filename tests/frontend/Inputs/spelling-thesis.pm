R, C = Parameter(Int), Parameter(Int)
img = Image(Float, [R+2, C+2])
x, y = Variable(), Variable()
row, col = Interval(0, R+1, 1), Interval(0, C+1, 1)
inside = Condition(x,'>=',1) & Condition(x,'<=',R) & Condition(y,'>=',1) & Condition(y,'<=',C)
gx = Function(varDom = ([x,y],[row,col]), Float)
gx.defn = [ Case(inside, Stencil(img(x,y), 1.0/8, [[-1,0,1],[-2,0,2],[-1,0,1]])) ]
out = Function(varDom = ([x,y],[row,col]), UChar)
out.defn = [ Case(inside, gx(x,y)*255),
             Case(Condition(x,'<',1), 1) ]
