// Drives a server through the types that openapi-typescript makes of the
// document. What the document does not promise does not compile here.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import createClient, {type Client} from 'openapi-fetch';
import type {paths} from './client.js';

interface Target {
  baseURL: string;
  header: string;
  keys: Record<string, string>;
  ids: Record<string, number>;
  disposables: number[];
}
const target = JSON.parse(readFileSync(process.env['TARGET'] ?? '', 'utf8')) as Target;

function as(user: string): Client<paths> {
  const key = target.keys[user];
  return createClient<paths>({baseUrl: target.baseURL, headers: key ? {[target.header]: key} : {}});
}

function id(object: string): number {
  const value = target.ids[object];
  assert.ok(value, `the target names no ${object}`);
  return value;
}

test('updateCampaign', async () => {
  const campaignId = id('campaign');
  const {data, error} = await as('owner').PATCH('/campaigns/{campaignId}', {
    params: {path: {campaignId}},
    body: {name: 'TypeScript client'},
  });
  assert.ok(data, JSON.stringify(error));
  assert.equal(data.data.id, campaignId);
  assert.equal(data.data.name, 'TypeScript client');
  assert.ok(Date.parse(data.data.createdAt) <= Date.parse(data.data.updatedAt));
  assert.ok(new URL(data.data.shareURL).host);
});

test('updateConnectionProfile', async () => {
  const connectionProfileId = id('connectionProfile');
  const {data, error} = await as('owner').PATCH('/connection-profiles/{connectionProfileId}', {
    params: {path: {connectionProfileId}},
    body: {name: 'TypeScript client', withoutCookiesAction: 'warn', withCookiesAction: 'fail'},
  });
  assert.ok(data, JSON.stringify(error));
  assert.equal(data.data.id, connectionProfileId);
  assert.equal(data.data.name, 'TypeScript client');
  assert.equal(data.data.withoutCookiesAction, 'warn');
  assert.equal(data.data.withCookiesAction, 'fail');
  assert.ok(data.data.updatedAt);
});

test('updateConnectionProfileRuleHost', async () => {
  const path = {
    connectionProfileId: id('connectionProfile'),
    connectionProfileRuleId: id('connectionProfileRule'),
    connectionProfileRuleHostId: id('connectionProfileRuleHost'),
  };
  const {data, error} = await as('owner').PATCH(
    '/connection-profiles/{connectionProfileId}/rules/{connectionProfileRuleId}/hosts/{connectionProfileRuleHostId}',
    {params: {path}, body: {hostname: 'ts.example.com', regularExpression: '^/ts/'}},
  );
  assert.ok(data, JSON.stringify(error));
  assert.equal(data.data.id, path.connectionProfileRuleHostId);
  assert.equal(data.data.hostname, 'ts.example.com');
  assert.equal(data.data.regularExpression, '^/ts/');
});

test('listCreativeMediaFiles', async () => {
  const {data, error} = await as('owner').GET('/creatives/{creativeId}/media-files', {
    params: {path: {creativeId: id('vastCreative')}},
  });
  assert.ok(data, JSON.stringify(error));
  const {count, totalCount, page, totalPages} = data.meta.pagination;
  assert.ok(data.data.length > 0);
  assert.equal(count, data.data.length);
  assert.ok(totalCount >= count && page === 1 && totalPages >= 1);
  for (const file of data.data) {
    assert.equal(typeof file.id, 'number');
    assert.equal(typeof file.name, 'string');
    assert.equal(file.parentId, id('vastCreative'));
  }
});

test('deleteCreative', async () => {
  const creativeId = target.disposables[1]; // the Go client deletes the first
  assert.ok(creativeId, 'the target names no second disposable creative');
  const path = {creativeId};
  const first = await as('owner').DELETE('/creatives/{creativeId}', {params: {path}});
  assert.equal(first.response.status, 204);
  const second = await as('owner').DELETE('/creatives/{creativeId}', {params: {path}});
  assert.equal(second.response.status, 404);
  assert.equal(second.error?.error.responseCode, 404);
});

test('errors', async () => {
  const params = {path: {campaignId: id('campaign')}};
  const body = {name: 'TypeScript client'};
  const nobody = await as('nobody').PATCH('/campaigns/{campaignId}', {params, body});
  assert.equal(nobody.error?.error.responseCode, 401);
  const stranger = await as('stranger').PATCH('/campaigns/{campaignId}', {params, body});
  assert.equal(stranger.error?.error.responseCode, 403);
  const wrong = await as('owner').PATCH('/campaigns/{campaignId}', {
    params,
    // @ts-expect-error: a name that is no string does not compile
    body: {name: 1},
  });
  assert.equal(wrong.error?.error.responseCode, 422);
  assert.equal(wrong.error?.error.issues[0]?.relatedField, 'name');
});
