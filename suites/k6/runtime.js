// How the cases are sent.

const rateLimited = new Counter('adconform_rate_limited'); // answers of 429
const unavailable = new Counter('adconform_unavailable'); // answers of 503 that say when to come again
const lost = new Counter('adconform_lost'); // requests without an answer
const judged = new Counter('adconform_judged'); // answers that were judged

const passes = number('PASSES', 0);
const writeRate = number('WRITE_RATE', defaults.writeRate);
const base = (__ENV.BASE_URL || '').replace(/\/+$/, '');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    checks: ['rate==1'],
    adconform_judged: ['count>0'],
    adconform_lost: ['count<2'], // one may be the network's
  },
  maxRedirects: 0, // a key goes nowhere else
  teardownTimeout: '1h', // to put back within a rate limit
  userAgent,
};

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 499 }));

function number(name, otherwise) {
  if (__ENV[name] === undefined || __ENV[name] === '') return otherwise;
  const n = Number(__ENV[name]);
  if (!(n > 0)) throw new Error(`${name} is "${__ENV[name]}": give a number above 0`);
  return n;
}

function scenarios() {
  const all = {};
  const vus = number('VUS', 10);
  const duration = __ENV.DURATION || '30s';
  if (reading.length > 0) {
    const iterations = passes * reading.length;
    all.reading = passes
      ? { executor: 'shared-iterations', exec: 'read', vus: Math.min(vus, iterations), iterations, maxDuration: '1h' }
      : {
          executor: 'constant-arrival-rate', exec: 'read', duration,
          rate: Math.max(1, Math.round(60 * number('RATE', defaults.rate))), timeUnit: '1m',
          preAllocatedVUs: vus, maxVUs: number('MAX_VUS', 10 * vus),
        };
  }
  writing.forEach((cases, lane) => {
    all[`writing_${lane}`] = {
      exec: 'write', vus: 1, env: { LANE: String(lane) },
      ...(passes
        ? { executor: 'per-vu-iterations', iterations: passes * cases.length, maxDuration: '1h' }
        : { executor: 'constant-vus', duration }),
    };
  });
  return all;
}

// setup refuses to start without what it needs, in one line.
export function setup() {
  const missing = ['BASE_URL', 'ADCONFORM_OWNER_KEY'].filter((name) => !__ENV[name]);
  if (strangerNeeded && !__ENV.ADCONFORM_STRANGER_KEY) missing.push('ADCONFORM_STRANGER_KEY');
  if (missing.length > 0) {
    exec.test.abort(`give ${missing.join(', ')} with -e NAME=value or in the environment`);
  }
  const url = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d+)?(\/[^?#\s\\]*)?$/i.exec(base);
  if (!url) {
    exec.test.abort('BASE_URL is not an http or https URL without user, query and fragment');
  }
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(url[1]) && !__ENV.I_OWN_THIS_TARGET) {
    exec.test.abort(`${url[1]} is not this machine: load on a server that others use is an attack; if it is yours, give I_OWN_THIS_TARGET=yes`);
  }
  judged.add(0); // so that its threshold is looked at
}

export function read() {
  play(reading[exec.scenario.iterationInTest % reading.length]);
}

export function write() {
  const cases = writing[Number(__ENV.LANE)];
  const started = Date.now();
  play(cases[exec.vu.iterationInScenario % cases.length]);
  if (!passes) sleep(Math.max(0, 1 / writeRate - (Date.now() - started) / 1000));
}

// teardown puts back what the target file gives the values of.
export function teardown() {
  for (const object of changed) {
    if (object.lost) {
      console.warn(`${object.object} at ${object.path}: ${object.lost.join(', ')} cannot be put back: the target file does not give it`);
    }
    if (!object.body) continue;
    const response = insist(() => send('restore', object, credential(object)));
    if (response.status < 200 || response.status > 299) {
      console.error(`${object.object} is not put back (status ${response.status}): ${object.method} ${object.path} with ${object.body}`);
    }
  }
}

// insist sends again: for a minute where the target says that it is busy, twice
// where it fails or does not answer.
function insist(request) {
  const until = Date.now() + 60000;
  for (let failures = 0; ;) {
    const response = request();
    const busy = response.status === 429 || (response.status === 503 && response.headers['Retry-After']);
    const failed = !busy && (response.status === 0 || response.status >= 500);
    if (failed) failures += 1;
    if ((!busy && !failed) || failures > 2 || Date.now() > until) return response;
    sleep(Math.min(Number(response.headers['Retry-After']) || 1, 60));
  }
}

// play sends the requests of a case one after another and judges each answer.
function play(kase) {
  for (const step of kase.steps) {
    const key = credential(step);
    if (key === undefined) return; // the owner's key has no such form
    const tags = { case: kase.id, class: kase.class, clause: kase.clause };
    const response = send(kase.id, step, key, tags);
    if (response.status === 0) {
      lost.add(1, tags);
      console.warn(`${kase.id}: no answer: ${response.error}`);
    } else if (response.status === 429) {
      rateLimited.add(1, tags);
    } else if (response.status === 503 && response.headers['Retry-After']) {
      unavailable.add(1, tags);
    } else {
      judged.add(1, tags);
      tell(kase.id, judge(step, response), tags);
    }
  }
}

function send(id, step, key, tags) {
  const headers = { Accept: 'application/json', 'X-Adconform-Case': id };
  let body = null;
  if (step.base64 !== undefined) {
    body = encoding.b64decode(step.base64);
  } else if (text(step) !== undefined) {
    body = text(step);
  }
  if (body !== null) headers['Content-Type'] = 'application/json';
  Object.assign(headers, step.headers);
  if (key !== null) headers[keyHeader] = key;
  return http.request(step.method, base + step.path, body, {
    headers,
    redirects: 0,
    timeout: __ENV.TIMEOUT || defaults.timeout,
    jar: new http.CookieJar(), // nobody is remembered
    tags: { ...tags, operation: step.operation, name: contract.operations[step.operation].name },
  });
}

// text is the body of a request, undefined where it has none that is a text.
function text(step) {
  return step.text === undefined ? step.body : texts[step.text];
}

// credential is the key of a request: null for none, undefined where the owner's
// key has no such form.
function credential(step) {
  if (step.key !== undefined) return step.key;
  const owner = __ENV.ADCONFORM_OWNER_KEY;
  switch (step.as) {
    case 'owner': return owner;
    case 'stranger': return __ENV.ADCONFORM_STRANGER_KEY;
    case 'empty': return '';
    case 'owner-changed': return changeMiddle(owner);
    case 'owner-longer': return `${owner}x`;
    case 'owner-shorter': return owner.length > 1 ? owner.slice(0, -1) : undefined;
    case 'owner-other-case': return /^[0-9a-f-]+$/i.test(owner) ? undefined : swapCase(owner);
  }
  return null;
}

// changeMiddle changes the letter or digit nearest to the middle.
function changeMiddle(key) {
  for (let d = 0; d < key.length; d++) {
    const i = Math.floor(key.length / 2) + Math.floor((d + 1) / 2) * (d % 2 ? -1 : 1);
    if (i < 0 || i >= key.length || !/[a-z0-9]/i.test(key[i])) continue;
    const by = /[zZ9]/.test(key[i]) ? -1 : 1;
    return key.slice(0, i) + String.fromCharCode(key.charCodeAt(i) + by) + key.slice(i + 1);
  }
  return undefined;
}

function swapCase(key) {
  const swapped = [...key].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('');
  return swapped === key ? undefined : swapped;
}
