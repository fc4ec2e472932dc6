import { join } from 'node:path';
import { sparingOptions } from '../../../find-node.js';
import { programOnPath } from '../../../lib/programs.ts';
import {
  configAmong,
  programRunner,
  type RunProgram,
  runAll,
  type ServiceManager,
  type ServiceState,
} from './service-manager.ts';
import type { ServiceOrder } from './service-order.ts';
import type { SystemdParts } from './systemd.ts';
import { serviceWords } from './words.ts';

const label = 'keyturn';
const exitPattern = 'last exit code';

/** The agents of one user of macOS. */
export function launchd({ environment, home, uid, allowsRoot }: SystemdParts): ServiceManager {
  const run = programRunner(environment);
  const domain = `gui/${uid}`;
  const service = `${domain}/${label}`;
  const file = join(home, 'Library/LaunchAgents', `${label}.plist`);
  const log = join(home, 'Library/Logs', `${label}.log`);
  return {
    name: 'launchd',
    file,
    logs: `tail -f '${log}'`,
    describe: (order) => agent(order, log),
    pathsIn: (text) => wordsOfAgent(text).filter((word) => word.startsWith('/')),
    configIn: (text) => configAmong(wordsOfAgent(text)),
    problem() {
      if (uid === 0 && !allowsRoot) return (language) => serviceWords[language].isRoot;
      const isHere = programOnPath('launchctl', environment.PATH) !== undefined;
      return isHere ? undefined : (language) => serviceWords[language].noManager;
    },
    start() {
      // It reads a file only once: one that is loaded has to go first.
      run('launchctl', ['bootout', service]);
      return runAll(run, 'launchctl', [
        ['enable', service],
        ['bootstrap', domain, file],
      ]);
    },
    stop: () => runAll(run, 'launchctl', [['bootout', service]]),
    // One that is told to end comes back unless it ends well: only what is not loaded stays away.
    pause: () => runAll(run, 'launchctl', [['bootout', service]]),
    forget() {},
    state: () => stateOf(service, run),
  };
}

function stateOf(service: string, run: RunProgram): ServiceState {
  const { isDone, stdout } = run('launchctl', ['print', service]);
  const field = (name: string): string | undefined => new RegExp(`^\\s*${name} = (.*)$`, 'm').exec(stdout)?.[1];
  const condition = field('state') ?? 'not loaded';
  return {
    isEnabled: isDone,
    isActive: condition === 'running',
    condition,
    pid: field('pid') === undefined ? undefined : Number(field('pid')),
    since: undefined,
    lastExit: field(exitPattern),
    restarts: undefined,
  };
}

const headSource = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`;

/** Started with the login, and again unless it ended by itself. launchd knows no exit code that must not be tried again. */
function agent({ node, start, config, folder, stopSecs }: ServiceOrder, log: string): string {
  const texts = [node, ...sparingOptions, start, '--config', config].map(
    (word) => `    <string>${escaped(word)}</string>`,
  );
  return `${headSource}
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${texts.join('\n')}
  </array>
  <key>WorkingDirectory</key>
  <string>${escaped(folder)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>${stopSecs + 10}</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${escaped(log)}</string>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The words of the line that starts it. */
function wordsOfAgent(text: string): readonly string[] {
  const [, words = ''] = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(text) ?? [];
  return [...words.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word = '']) =>
    word.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
}
