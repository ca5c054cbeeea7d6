/**
 * Part of the runtime that candidates get. Opens no package, so that they cannot look into it. The
 * launcher finds only modules that export something.
 */
module assay.harness {
    requires assay.outside;

    exports assay.harness;
}
