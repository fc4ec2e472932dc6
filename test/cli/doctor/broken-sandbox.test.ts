import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { doctorWords } from '../../../src/cli/doctor/words.ts';
import type { Language } from '../../../src/lib/words.ts';
import { sandboxWords } from '../../../src/tools/guard/process/words.ts';
import { type Row, type Setup, testRows } from './setups.ts';

/** A bubblewrap that says this and fails, alone on the path. */
function failing(failure: string): (folder: string) => void {
  return (folder) => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\necho '${failure}' >&2\nexit 1\n`);
    chmodSync(join(bin, 'bwrap'), 0o755);
  };
}

const alone = { PATH: 'FOLDER/bin' };

function sandbox(shell: object, prepare?: Setup['prepare']): Setup {
  return { config: { tools: { shell: { enabled: true, ...shell } } }, env: alone, prepare };
}

interface Kind {
  readonly isMissing: boolean;
  readonly isRequired?: boolean;
}

function fails(reason: (say: (typeof sandboxWords)[Language]) => string, { isMissing, isRequired = false }: Kind) {
  return (language: Language) => {
    const values = { reason: reason(sandboxWords[language]), isMissing, isRequired };
    const { what, mend } = doctorWords[language].sandboxFails;
    return { check: 'sandbox', what: what(values), mend: mend(values) };
  };
}

const namespaces = 'bwrap: No permissions to create new namespace';
const proc = 'bwrap: Cannot mount proc on /newroot/proc: Operation not permitted';
const old = 'bwrap: Unknown option --disable-userns';

const rows: readonly Row[] = [
  ['no bubblewrap', sandbox({}), fails((say) => say.noBubblewrap, { isMissing: true })],
  [
    'no bubblewrap where the config demands it',
    sandbox({ sandbox: 'required' }),
    fails((say) => say.noBubblewrap, { isMissing: true, isRequired: true }),
  ],
  [
    'no socat where commands may reach a host',
    sandbox({ allowed_domains: ['a.example'] }, failing('x')),
    fails((say) => say.noSocat, { isMissing: true }),
  ],
  [
    'user namespaces that are forbidden',
    sandbox({}, failing(namespaces)),
    fails((say) => say.fails({ failure: namespaces, mend: 'namespaces' }), { isMissing: false }),
  ],
  [
    'a container that hides /proc',
    sandbox({}, failing(proc)),
    fails((say) => say.fails({ failure: proc, mend: 'proc' }), { isMissing: false }),
  ],
  [
    'an old bubblewrap',
    sandbox({}, failing(old)),
    fails((say) => say.fails({ failure: old, mend: 'version' }), { isMissing: false }),
  ],
];

testRows(rows);
