import { prepareSetup } from '../../setup/prepare.ts';
import { reportText, setUpUnasked } from '../../setup/unattended.ts';
import { runWizard } from '../../setup/wizard.ts';
import { setupWords } from '../../setup/words.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { start } from '../start.ts';

/** `setup`: asks which model and which chat, checks both, and writes the config; then starts. With `--yes`, asks nothing. */
export async function setup(context: CommandContext): Promise<number> {
  const { program, place, language, asJson, isOn, option, print, complain } = context;
  const { process } = program;
  const say = setupWords[language];
  const told = {
    model: option('model'),
    baseUrl: option('base-url'),
    channel: option('channel'),
    tokenFile: option('token-file'),
  };
  if (isOn('yes')) {
    const parts = await prepareSetup(place, program);
    const report = await setUpUnasked(parts, told, process.stdin);
    print(asJson ? JSON.stringify(report, undefined, 2) : reportText(report, parts));
    return report.ok ? exitCodes.done : exitCodes.failed;
  }
  const needsYes = ['model', 'base-url', 'channel', 'token-file'].find((name) => option(name) !== undefined);
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (asJson || needsYes !== undefined || !isAtTerminal) {
    complain(
      asJson ? say.jsonNeedsYes : needsYes === undefined ? say.needsTerminal : say.onlyWithYes({ option: needsYes }),
    );
    return exitCodes.misused;
  }
  const end = await runWizard(await prepareSetup(place, program), process, false);
  if (end === 'cancelled') return exitCodes.failed;
  if (end !== 'start') return exitCodes.done;
  // The start has options that this command has not.
  return start({ ...context, isOn: () => false });
}
