/** Part of the runtime that candidates get. Opens nothing, so that they cannot look into it. */
module assay.harness {
    exports assay.harness;
}
