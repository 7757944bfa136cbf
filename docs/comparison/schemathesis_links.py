"""OpenAPI links, which the document does not have: what can be asked after what.

Schemathesis follows them in its stateful phase, beside those that it infers.
"""

import schemathesis

CREATIVE = {"creativeId": "$request.path.creativeId"}
LINKS = {
    "/campaigns/{campaignId}": ("patch", "200", {"updateCampaign": {"campaignId": "$response.body#/data/id"}}),
    "/connection-profiles/{connectionProfileId}": (
        "patch",
        "200",
        {"updateConnectionProfile": {"connectionProfileId": "$response.body#/data/id"}},
    ),
    "/creatives/{creativeId}/media-files": (
        "get",
        "200",
        {"deleteCreative": {"creativeId": "$response.body#/data/0/id"}, "listCreativeMediaFiles": CREATIVE},
    ),
    "/creatives/{creativeId}": (
        "delete",
        "204",
        {"deleteCreative": CREATIVE, "listCreativeMediaFiles": CREATIVE},
    ),
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for path, (method, status, targets) in LINKS.items():
        raw_schema["paths"][path][method]["responses"][status]["links"] = {
            operation: {"operationId": operation, "parameters": parameters}
            for operation, parameters in targets.items()
        }
