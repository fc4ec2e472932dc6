import type { Check } from './check.ts';
import { checkCertificates, checkClock, checkProxies } from './connections.ts';
import { checkModels } from './models.ts';
import { checkConfigFile, checkDisk, checkPermissions } from './places.ts';
import { checkDiscord } from './platforms/discord.ts';
import { checkSlack } from './platforms/slack.ts';
import { checkTelegram } from './platforms/telegram.ts';
import { checkRunning } from './running.ts';
import { checkSandbox } from './shell-sandbox.ts';

/** All checks, in the order of the report. */
export const checks: Readonly<Record<string, Check>> = {
  config: checkConfigFile,
  permissions: checkPermissions,
  disk: checkDisk,
  process: checkRunning,
  clock: checkClock,
  proxy: checkProxies,
  certificates: checkCertificates,
  sandbox: checkSandbox,
  models: checkModels,
  telegram: checkTelegram,
  slack: checkSlack,
  discord: checkDiscord,
};
