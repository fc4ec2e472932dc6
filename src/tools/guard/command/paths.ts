import { posix } from 'node:path';
import type { ShellWord } from './shell-word.ts';

/** Not `/opt`, `/srv`, `/root` or `/var/lib`: a workspace may stand there. */
const systemFolder = /^\/(?:(?:etc|usr|boot|dev|lib\d*|libx32|bin|sbin|proc|sys|var\/spool\/cron)(?:\/|$)|$)/;

/** What runs at a login, or opens one. */
const loginFile =
  /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|ssh|gnupg|pam_environment|xinitrc|xprofile|xsession|forward|rhosts|config\/(?:autostart|systemd|fish|environment\.d))(?:\/|$)/;

/** What stands for a stream of the command itself, or for nothing. */
const stream = /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|fd\/\d+|u?random)$/;

/** Whether writing there changes the system, or what happens at the next login. */
export function isSystemPath({ text, beginning }: ShellWord): boolean {
  if (isStream(text) || /^\/dev\/(?:shm\/|tcp\/|udp\/)/.test(text)) return false;
  const path = beginning.startsWith('/') ? posix.normalize(text) : text;
  return (beginning.startsWith('/') && systemFolder.test(path)) || loginFile.test(path);
}

export function isStream(path: string): boolean {
  return stream.test(path);
}

/** A name for the network, as bash has it. */
export function isSocketPath(path: string): boolean {
  return /^\/dev\/(?:tcp|udp)\//.test(posix.normalize(path));
}

/** The name of a program without its folder. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the program is looked for where the system keeps its own, and not a file that anybody may have written. */
export function isSystemProgram(path: string): boolean {
  return !path.includes('/') || /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(path);
}
