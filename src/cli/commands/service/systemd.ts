import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { sparingOptions, sparingVariables } from '../../../find-node.js';
import { programOnPath } from '../../../lib/programs.ts';
import type { InLanguage } from '../../../lib/words.ts';
import {
  configAmong,
  type LingerState,
  programRunner,
  type RunProgram,
  runAll,
  type ServiceManager,
  type ServiceState,
} from './service-manager.ts';
import type { ServiceOrder } from './service-order.ts';
import { serviceWords } from './words.ts';

export interface SystemdParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Undefined where there are no such numbers. */
  readonly uid: number | undefined;
  /** root may have a service of its own. */
  readonly allowsRoot: boolean;
}

const unit = 'keyturn.service';
const user = '--user';

/** The services of one user. They need no rights of root. */
export function systemd(parts: SystemdParts): ServiceManager {
  const { environment, home } = parts;
  const run = programRunner(withRuntimeFolder(parts));
  const file = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'systemd/user', unit);
  return {
    name: 'systemd',
    file,
    logs: 'journalctl --user -u keyturn -e',
    describe: systemdUnit,
    pathsIn: (text) => wordsOfUnit(text).filter((word) => word.startsWith('/')),
    configIn: (text) => configAmong(wordsOfUnit(text)),
    problem: () => problemHere(parts, run),
    start: () =>
      runAll(run, 'systemctl', [
        [user, 'daemon-reload'],
        [user, 'enable', unit],
        [user, 'restart', unit],
      ]),
    stop: () => runAll(run, 'systemctl', [[user, 'disable', '--now', unit]]),
    pause: () => runAll(run, 'systemctl', [[user, 'stop', unit]]),
    forget() {
      run('systemctl', [user, 'daemon-reload']);
      // So that a service that has failed is not listed any more.
      run('systemctl', [user, 'reset-failed', unit]);
    },
    state: () => stateOf(run('systemctl', [user, 'show', unit, `--property=${properties.join()}`]).stdout),
    linger: () => lingerOf(run),
  };
}

/** A shell that `su` has opened does not have it. */
function withRuntimeFolder({ environment, uid }: SystemdParts): SystemdParts['environment'] {
  const folder = `/run/user/${uid}`;
  return environment.XDG_RUNTIME_DIR === undefined && existsSync(folder)
    ? { ...environment, XDG_RUNTIME_DIR: folder }
    : environment;
}

function problemHere({ environment, uid, allowsRoot }: SystemdParts, run: RunProgram): InLanguage | undefined {
  if (uid === 0 && !allowsRoot) return (language) => serviceWords[language].isRoot;
  if (programOnPath('systemctl', environment.PATH) === undefined) return (language) => serviceWords[language].noManager;
  const { isDone, fault } = run('systemctl', [user, 'show-environment']);
  return isDone ? undefined : (language) => serviceWords[language].noUserManager({ fault });
}

const properties = [
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'ActiveEnterTimestamp',
  'MainPID',
  'NRestarts',
  'ExecMainStatus',
  'ExecMainExitTimestamp',
  'Result',
];

function stateOf(shown: string): ServiceState {
  const found = new Map(shown.split('\n').map((line) => [line.split('=', 1)[0] ?? '', line.replace(/^\w+=/, '')]));
  const text = (name: string): string | undefined => found.get(name) || undefined;
  const pid = Number(text('MainPID') ?? 0);
  const result = text('Result');
  const hasEnded = text('ExecMainExitTimestamp') !== undefined;
  return {
    isEnabled: text('UnitFileState') === 'enabled',
    // While it reads its config again, it is reloading.
    isActive: /^(?:active|reloading)$/.test(text('ActiveState') ?? ''),
    condition: `${text('ActiveState') ?? 'unknown'} (${text('SubState') ?? 'unknown'})`,
    pid: pid === 0 ? undefined : pid,
    since: text('ActiveEnterTimestamp'),
    lastExit: hasEnded
      ? [text('ExecMainStatus'), result === 'success' ? undefined : result].filter(Boolean).join(', ')
      : undefined,
    restarts: Number(text('NRestarts') ?? 0),
  };
}

/** Without it, systemd ends the services of a user at the end of their last session. */
function lingerOf(run: RunProgram): LingerState | undefined {
  const { username } = userInfo();
  const { isDone, stdout } = run('loginctl', ['show-user', username, '--property=Linger', '--value']);
  if (isDone && stdout.trim() === 'yes') return undefined;
  const args = ['enable-linger', username];
  return { command: `loginctl ${args.join(' ')}`, enable: () => runAll(run, 'loginctl', [args]) };
}

/**
 * The unit. Only what needs no namespace stands in it: the manager of a user would have to make one of users first, and the
 * sandbox for commands could not have its own.
 */
function systemdUnit({ node, start, config, folder, stopSecs }: ServiceOrder): string {
  return `${headSource}
WorkingDirectory=${folder.replaceAll('%', '%%')}
Environment=${Object.entries(sparingVariables)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}
ExecStart=${commandLine([node, ...sparingOptions, start, '--config', config])}
TimeoutStopSec=${stopSecs + 10}
${endSource}
`;
}

const headSource = `# Written by: keyturn service install. Keep changes in a file of your own: systemctl --user edit keyturn
[Unit]
Description=Keyturn, a self-hosted assistant

[Service]
Type=notify
NotifyAccess=all
WatchdogSec=120
TimeoutStartSec=600`;

const endSource = `ExecReload=/bin/kill -HUP $MAINPID
StandardInput=null
Restart=on-failure
RestartSec=5
# The config is wrong: a restart would not mend it.
RestartPreventExitStatus=78
# The signal is for Keyturn alone: it lets commands end.
KillMode=mixed
# A command that the kernel ends for its memory does not end Keyturn.
OOMPolicy=continue
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=default.target`;

/**
 * The colon before the program keeps systemd from putting in variables. Of a program it takes no quotes and no backslashes:
 * then a shell becomes that program.
 */
function commandLine(words: readonly string[]): string {
  const [program = ''] = words;
  const line = /["'\\]/.test(program) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...words] : words;
  return line.map((word, index) => quoted(index === 0 ? `:${word}` : word)).join(' ');
}

/** As systemd reads words: `%` begins what it puts in. */
function quoted(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/** The words of the line that starts it. */
function wordsOfUnit(text: string): readonly string[] {
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(text) ?? [];
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, inQuotes, bare = '']) => inQuotes ?? bare);
  return words.map((word) => word.replace(/\\(.)/g, '$1').replaceAll('%%', '%').replace(/^:/, ''));
}
