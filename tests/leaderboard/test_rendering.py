"""Tests of rendering: a page's data are freed with the page, and a missing template is named."""

import gc
import weakref

import pytest
from django.http import HttpRequest
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template


class Data:
    name = "shown"


def test_the_data_of_a_page_are_freed_without_the_collector() -> None:
    template, data = engines["django"].from_string("{{ data.name }}"), Data()
    alive = weakref.ref(data)
    gc.disable()
    try:
        assert template.render({"data": data}, HttpRequest()) == "shown"
        del data
        assert alive() is None
    finally:
        gc.enable()


def test_a_template_that_is_missing_is_named() -> None:
    with pytest.raises(TemplateDoesNotExist, match="nowhere.html"):
        get_template("nowhere.html")
    including = engines["django"].from_string('{% extends "nowhere.html" %}')
    with pytest.raises(TemplateDoesNotExist, match="nowhere.html"):
        including.render({})
