// task half
public BigDecimal half(BigDecimal number) {
    class Money extends BigDecimal {
        Money(BigDecimal value) {
            super(value.unscaledValue(), value.scale());
        }

        @Override
        public String toString() {
            return toPlainString() + " EUR";
        }
    }
    return new Money(number.divide(BigDecimal.valueOf(2)));
}
