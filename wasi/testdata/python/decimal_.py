from decimal import Decimal, Context, ROUND_HALF_EVEN, ROUND_UP, localcontext, InvalidOperation, DivisionByZero
from fractions import Fraction
print(Decimal("0.1") + Decimal("0.2"), Decimal(1) / 7, Decimal("2").sqrt(), Decimal("1E+3").normalize(), Decimal("3.14").as_integer_ratio())
print(Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_EVEN), Decimal("2.671").quantize(Decimal("0.01"), ROUND_UP), f"{Decimal('1234567.891'):,.2f}")
with localcontext() as c:
    c.prec = 60
    print(Decimal(1).exp(), Decimal(2) ** Decimal("0.5"))
for f in lambda: Decimal("x"), lambda: Decimal(1) / 0:
    try:
        f()
    except (InvalidOperation, DivisionByZero) as e:
        print(repr(e))
print(Fraction(1, 3) + Fraction("0.25"), Context(prec=3).create_decimal("1.23456"), sum(Decimal(i) / 10 for i in range(1000)), hash(Decimal("1.5")) == hash(1.5))
