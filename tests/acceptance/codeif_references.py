"""The repositories and commits from which tasks of CodeIF-Bench L-2 and L-3 were cut, and the names
of their reference solutions that are not found."""

from __future__ import annotations

from typing import NamedTuple


class Cut(NamedTuple):
    """The tasks that a repository has at a commit."""

    repository: str
    commit: str
    tasks: tuple[str, ...]


CUTS = (
    Cut(
        "NicolasLM/bplustree",
        "36dae7f499529cfa07ac4ce4c5c2da4fa6e15d25",
        ("bplustree.memory.FileMemory.get_node",),
    ),
    Cut(
        "Pylons/pyramid",
        "03d82bda61f9d512e020943b3c13a18aa571e240",
        ("pyramid.registry.Introspector.remove",),
    ),
    Cut(
        "Pylons/pyramid",
        "78c201dc6a672e295a5f37efd88a4c1e0ef69239",
        ("pyramid.i18n.Translations.add",),
    ),
    Cut(
        "Pylons/pyramid",
        "87cdf6740d5475acd25a1c975b0b0e14c2ca88d4",
        ("pyramid.registry.Introspectable.discriminator_hash",),
    ),
    Cut(
        "Yelp/mrjob",
        "2f52b8457240281eac2610656041f09173f2f438",
        (
            "mrjob.hadoop.HadoopJobRunner._stream_history_log_dirs",
            "mrjob.job.MRJob.add_passthru_arg",
            "mrjob.job.MRJob.set_status",
        ),
    ),
    Cut(
        "Yelp/mrjob",
        "ad783b0243b936b7db206a67a67504980ffc26fd",
        ("mrjob.fs.hadoop.HadoopFilesystem.mkdir",),
    ),
    Cut(
        "benoitc/gunicorn",
        "7cd014f3075a2f7c818041d0c64ea05fc3ac677b",
        (
            "gunicorn.config.Config.__str__",
            "gunicorn.config.Config.logger_class",
        ),
    ),
    Cut(
        "bentoml/BentoML",
        "1dbfb4f9de4b0c819de85e90f53054ab740ed899",
        ("bentoml._internal.runner.container.DefaultContainer.from_batch_payloads",),
    ),
    Cut(
        "boto/boto",
        "12e0c2af65f205721edf247c70f074621cd71702",
        ("boto.s3.connection.S3Connection.generate_url_sigv4",),
    ),
    Cut(
        "boto/boto",
        "4b8269562e663f090403e57ba1a3a471b6e0aa0e",
        ("boto.ec2.securitygroup.SecurityGroup.add_rule",),
    ),
    Cut(
        "bspaans/python-mingus",
        "7be9ff0257aaca7acdf4501706752f3d42f7ea63",
        ("mingus.containers.note.Note.to_hertz",),
    ),
    Cut(
        "bspaans/python-mingus",
        "ce83b9bbf876831f64196f60d58aef07fcbb68ca",
        ("mingus.containers.note_container.NoteContainer.get_note_names",),
    ),
    Cut(
        "buckket/twtxt",
        "c398a2769157206cc5fc7654e3a6ac5bccb26a22",
        ("twtxt.config.Config.following",),
    ),
    Cut(
        "coleifer/peewee",
        "4614f3d58e4a5515a0293145aa77b2a19129c382",
        ("playhouse.dataset.DataSet.freeze",),
    ),
    Cut(
        "coleifer/peewee",
        "b83d26149db70f4976413f5714802277e7eb8dbc",
        ("playhouse.kv.KeyValue.pop",),
    ),
    Cut(
        "kivy/python-for-android",
        "3107e4e788e152fc3c69e0ff67702d670a23d970",
        ("pythonforandroid.bootstrap.Bootstrap.get_bootstrap_from_recipes",),
    ),
    Cut(
        "kivy/python-for-android",
        "9d4f2f9335065640411fcffea028595fff8ca96a",
        ("pythonforandroid.prerequisites.OpenSSLPrerequisite.darwin_checker",),
    ),
    Cut(
        "lux-org/lux",
        "7863e2deaea2c9b7b125af013d3f2debfb0b442f",
        ("lux.vis.Vis.Vis.get_attr_by_channel",),
    ),
    Cut(
        "mahmoud/boltons",
        "7bd0d48663d5b61a0d4e5568604dbb3de92fcbae",
        ("boltons.socketutils.NetstringSocket.setmaxsize",),
    ),
    Cut(
        "mahmoud/boltons",
        "a8fad5e5dea6cb39c522100392493d66611f1427",
        ("boltons.cacheutils.LRI.pop",),
    ),
    Cut(
        "martin-majlis/Wikipedia-API",
        "3191ca255d1129d112929f6d9829f750fa3a9ae3",
        ("wikipediaapi.WikipediaPage.__repr__",),
    ),
    Cut(
        "martin-majlis/Wikipedia-API",
        "7a678421461a9924d96b95580dec2dbdb210ca92",
        ("wikipediaapi.WikipediaPage.section_by_title",),
    ),
    Cut(
        "microsoft/msticpy",
        "472eea48ac27b97e0ba35a7c39fc5de9cbf20f0b",
        ("msticpy.analysis.anomalous_sequence.model.Model.compute_rarest_windows",),
    ),
    Cut(
        "microsoft/msticpy",
        "9167a0030ae5c654aab9f36707e54358c8eed0aa",
        ("msticpy.config.query_editor.QueryParameterEditWidget.delete_parameter",),
    ),
    Cut(
        "mjs/imapclient",
        "49f57aa2fdd66d4fc2825b7ce843f897094b88fd",
        (
            "imapclient.imapclient.IMAPClient.expunge",
            "imapclient.imapclient.IMAPClient.thread",
        ),
    ),
    Cut(
        "mopidy/mopidy",
        "01500fcf1605dcef2b36ab18512cf0a37faa8f51",
        (
            "mopidy.config.types.LogLevel.serialize",
            "mopidy.config.types.Pair.deserialize",
        ),
    ),
    Cut(
        "mopidy/mopidy", "97bf9dc800f59ccfe491fb310fea4eaea12cfb48", ("mopidy.ext.load_extensions",)
    ),
    Cut(
        "mopidy/mopidy",
        "ca89235b4dba91d4cb737fe624f5647365552a1f",
        ("mopidy.ext.Extension.get_data_dir",),
    ),
    Cut(
        "piskvorky/sqlitedict",
        "778e49276c39e109738fa6c0eef4d919b3181d25",
        ("sqlitedict.SqliteDict.commit",),
    ),
    Cut(
        "plotly/dash",
        "4ecaf7db2597b984ef3ecf17171f331b6db3812d",
        (
            "dash.development.base_component.Component._traverse",
            "dash.development.base_component.Component.to_plotly_json",
        ),
    ),
    Cut(
        "prometheus/client_python",
        "546599b406374de590e26cac4d2c37bb1e22e968",
        (
            "prometheus_client.mmap_dict.MmapedDict.read_value",
            "prometheus_client.mmap_dict.MmapedDict.write_value",
        ),
    ),
    Cut(
        "pysimplesoap/pysimplesoap",
        "c5bf2b7ad8f54f90663f910478a427a71c9750d7",
        ("pysimplesoap.simplexml.SimpleXMLElement.as_xml",),
    ),
    Cut(
        "richardkiss/pycoin",
        "d20bd9e0f6729819bfe011f09873d460b2617ecc",
        ("pycoin.blockchain.BlockChain.BlockChain.tuple_for_index",),
    ),
    Cut(
        "richardkiss/pycoin",
        "ed7231edce71b575188c564dd4b3b8ef7fe8d515",
        ("pycoin.message.PeerAddress.PeerAddress.host",),
    ),
    Cut(
        "ronf/asyncssh",
        "87c58b2ad6e9d0c6181a6155c0f4154f0099027c",
        ("asyncssh.public_key.SSHKey.convert_to_public",),
    ),
    Cut(
        "shibing624/pycorrector",
        "bbf8d447ba2098a65b19eb5017021fc32b76df64",
        (
            "pycorrector.en_spell.EnSpell.candidates",
            "pycorrector.en_spell.EnSpell.correct_word",
        ),
    ),
    Cut(
        "simonw/datasette",
        "a47f7fed4c391a20f62ac4c329592f39149ab5bc",
        (
            "datasette.utils.asgi.Request.fake",
            "datasette.utils.asgi.Response.redirect",
        ),
    ),
    Cut(
        "sqlalchemy/alembic",
        "765c251131efd860487cc1f0af711a77143406db",
        ("alembic.operations.ops.DropColumnOp.from_column_and_tablename",),
    ),
    Cut(
        "sqlalchemy/alembic",
        "a281d78f1dc6d134c6150f68f6850dd5215691c6",
        ("alembic.operations.ops.DropConstraintOp.to_constraint",),
    ),
    Cut(
        "turicas/rows",
        "b242720e1585bac24ef39337414d114707a131bb",
        ("rows.fields.EmailField.deserialize",),
    ),
    Cut(
        "turicas/rows",
        "bc98ec183c5c354e814a84042d047e2e1f7d142e",
        ("rows.fields.DateField.deserialize",),
    ),
    Cut(
        "wireservice/csvkit",
        "4b0b397bd1b2bfb101a1961436425ba38fa0e850",
        ("csvkit.cli.CSVKitUtility.run",),
    ),
)
# The dataset's `code` of these tasks is not their function: its lines are shifted.
SHIFTED = (
    "datasette.utils.asgi.Request.fake",
    "datasette.utils.asgi.Response.redirect",
    "gunicorn.config.Config.logger_class",
)
# Why a name of a reference solution is not found. By task, then by name without the module.
LOADED = "the class is loaded at run time, by an entry point"
BY_STRING = "the class is chosen at run time, by a name in a string"
BY_DEFAULT = "the default chooses another class of the mapping, whose method is found"
MISSED = {
    "mopidy.ext.load_extensions": {
        "mopidy.ext.Extension.dist_name": LOADED,
        "mopidy.ext.Extension.get_command": LOADED,
        "mopidy.ext.Extension.get_config_schema": LOADED,
        "mopidy.ext.Extension.get_default_config": LOADED,
        "mopidy.ext.Extension.version": LOADED,
    },
    "boto.s3.connection.S3Connection.generate_url_sigv4": {
        "boto.auth.S3HmacAuthV4Handler.presign": BY_STRING,
        "boto.s3.connection._CallingFormat.build_auth_path": BY_STRING,
        "boto.s3.connection._CallingFormat.build_host": BY_STRING,
        "boto.s3.connection._CallingFormat.build_path_base": BY_STRING,
    },
    "playhouse.dataset.DataSet.freeze": {"playhouse.dataset.TSVExporter.export": BY_DEFAULT},
}
