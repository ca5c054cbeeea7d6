#!/bin/sh
# PostgreSQL's image runs this once, when it makes the server's data: a role for the site, which owns
# the site's database, makes no others, and enters no others.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --no-psqlrc --quiet \
    --set ON_ERROR_STOP=1 --set password="$SITE_PASSWORD" <<'SQL'
CREATE ROLE assay LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
CREATE DATABASE assay OWNER assay;
REVOKE ALL ON DATABASE assay, postgres, template1 FROM PUBLIC;
SQL
