// task half
public BigDecimal half(BigDecimal number) {
    return Numbers.<BigDecimal>applied(number, each -> each.divide(BigDecimal.valueOf(2)));
}

private static final class Numbers {
    private interface Change<N extends Number> {
        N of(N number);
    }

    static <N extends Number> N applied(N number, Change<N> change) {
        return change.of(number);
    }
}
