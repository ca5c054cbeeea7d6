/** Both sides of a call that crosses between two JVMs. A stand-in calls Forwarder. */
module assay.outside {
    requires java.desktop;

    exports assay.outside;
}
