-- Dates are microseconds since 1970-01-01 UTC.

CREATE TABLE users (
    id       BIGINT PRIMARY KEY,
    name     TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE -- SHA-256 of the API key, hexadecimal
);

CREATE TABLE connection_profiles (
    id                     BIGINT PRIMARY KEY,
    user_id                BIGINT NOT NULL REFERENCES users (id),
    name                   TEXT NOT NULL,
    created_at             BIGINT NOT NULL,
    updated_at             BIGINT,
    without_cookies_action TEXT NOT NULL,
    with_cookies_action    TEXT NOT NULL
);

CREATE TABLE connection_profile_rules (
    id                    BIGINT PRIMARY KEY,
    connection_profile_id BIGINT NOT NULL REFERENCES connection_profiles (id),
    action                TEXT NOT NULL,
    type                  TEXT NOT NULL,
    provider_id           BIGINT,
    custom_name           TEXT,
    custom_description    TEXT,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT
);

CREATE TABLE connection_profile_rule_hosts (
    id                         BIGINT PRIMARY KEY,
    connection_profile_rule_id BIGINT NOT NULL REFERENCES connection_profile_rules (id),
    hostname                   TEXT NOT NULL,
    regular_expression         TEXT,
    created_at                 BIGINT NOT NULL,
    updated_at                 BIGINT
);

CREATE TABLE campaigns (
    id         BIGINT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    type       TEXT NOT NULL,
    share_url  TEXT NOT NULL,
    adspec_id  BIGINT NOT NULL,
    user_id    BIGINT NOT NULL REFERENCES users (id)
);

CREATE TABLE creatives (
    id                    BIGINT PRIMARY KEY,
    campaign_id           BIGINT NOT NULL,
    name                  TEXT NOT NULL,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    -- Deferred, so that a world may list media files before their creative.
    parent_id             BIGINT REFERENCES creatives (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    source_type           TEXT NOT NULL,
    source_type_label     TEXT NOT NULL,
    share_url             TEXT NOT NULL,
    live_preview_url      TEXT NOT NULL,
    preview_animation_url TEXT,
    width                 BIGINT,
    height                BIGINT,
    user_id               BIGINT NOT NULL REFERENCES users (id),
    nb_variations         BIGINT
);

CREATE INDEX creatives_by_parent ON creatives (parent_id, id);

-- The latest scan of a creative.
CREATE TABLE scans (
    creative_id       BIGINT PRIMARY KEY REFERENCES creatives (id) ON DELETE CASCADE,
    id                BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT,
    finished_at       BIGINT,
    sequence_type     TEXT NOT NULL,
    nb_issues         BIGINT NOT NULL,
    processing_status TEXT NOT NULL
);
