import { homedir } from 'node:os';
import { launchd } from './launchd.ts';
import type { ServiceManager } from './service-manager.ts';
import { systemd } from './systemd.ts';

/** The one of this machine. */
export function managerHere(
  { env, platform, getuid }: NodeJS.Process,
  { allowsRoot }: { readonly allowsRoot: boolean },
): ServiceManager {
  const parts = { environment: env, home: homedir(), uid: getuid?.(), allowsRoot };
  return platform === 'darwin' ? launchd(parts) : systemd(parts);
}
