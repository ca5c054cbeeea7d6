#!/bin/sh
# Entry point of the container: web, worker, reconciler, notifier, migrate, or any other management command.
set -eu
command=${1:-web}
[ $# -eq 0 ] || shift
case $command in
web) exec python manage.py web --bind 0.0.0.0 "$@" ;;
worker) exec python manage.py worker "$@" ;;
reconciler) exec python manage.py reconcile "$@" ;;
notifier) exec python manage.py notifier "$@" ;;
migrate) exec python manage.py migrate --no-input "$@" ;;
*) exec python manage.py "$command" "$@" ;;
esac
