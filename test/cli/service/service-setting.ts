import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandRun, runCommandOf } from '../../support/run-command.ts';

/** Stands for systemctl, loginctl and launchctl: notes what it is told, and is in the state that it was told to be in. */
const manager = (folder: string): string => `#!/bin/sh
name=$(basename "$0")
cd '${folder}'
echo "$name $*" >> calls
[ -e fails ] && grep -qxF -- "$name $*" fails && { echo 'it is told to fail' >&2; exit 1; }
case "$name $*" in
  *' restart '*|*bootstrap*) echo active > state ;;
  *disable*|*bootout*) echo inactive > state ;;
  *enable-linger*) echo yes > linger ;;
  *show-user*) cat linger 2>/dev/null || echo no ;;
  *print*) grep -qs '^active$' state || exit 113; echo 'state = running'; echo 'pid = 17' ;;
  *'show keyturn.service'*)
    active=$(cat state 2>/dev/null || echo inactive)
    enabled=$(test "$active" = active && echo enabled || echo disabled)
    echo "ActiveState=$active"; echo 'SubState=running'; echo "UnitFileState=$enabled"; echo 'MainPID=17'; echo 'NRestarts=3'
    echo 'ActiveEnterTimestamp=Mon 2026-03-30 09:00:00 UTC'
    echo 'ExecMainStatus=78'; echo 'ExecMainExitTimestamp=Mon 2026-03-30 08:00:00 UTC'; echo 'Result=exit-code' ;;
esac
exit 0
`;

export interface ServiceSetting {
  /** The home of the user, with the config. */
  readonly folder: string;
  readonly unit: string;
  /** Gives the command; root may have a service here, as tests may run as root. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  /** What the manager was told, but what it was only asked. */
  told(): readonly string[];
  /** Has the manager refuse this. */
  refuses(line: string): Promise<void>;
}

/** A user with a config, on a machine whose manager notes what it is told. */
export async function serviceSetting(folder: string, config: object = { model: 'offline' }): Promise<ServiceSetting> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  for (const name of ['systemctl', 'loginctl', 'launchctl']) {
    await writeFile(join(bin, name), manager(folder));
    await chmod(join(bin, name), 0o755);
  }
  const configFile = join(folder, 'config.json');
  await writeFile(configFile, JSON.stringify(config), { mode: 0o600 });
  return {
    folder,
    unit: join(folder, '.config/systemd/user/keyturn.service'),
    run: (args, env = {}) =>
      runCommandOf({ folder, configFile }, [...args, '--as-root'], { PATH: `${bin}:${process.env.PATH}`, ...env }),
    told() {
      const calls = join(folder, 'calls');
      const lines = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
      return lines.filter((line) => !/ (?:show|show-environment|show-user|print)\b/.test(line));
    },
    refuses: (line) => writeFile(join(folder, 'fails'), `${line}\n`),
  };
}
