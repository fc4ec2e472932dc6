import type { Language } from '../../../lib/words.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { isOfTool } from '../of-tool.ts';
import { webWords } from './words.ts';

interface WebLink {
  readonly here: string;
  readonly elsewhere?: string;
  /** In ms since 1970. */
  readonly goodUntil: number;
}

/** `web`: a link that signs in the user who runs Keyturn. */
export async function web(context: CommandContext): Promise<number> {
  const { asJson, isOn, print, complain, language, program } = context;
  const say = webWords[language];
  if (isOfTool(program.process.env)) {
    complain(say.fromTool);
    return exitCodes.failed;
  }
  const link = await askDaemon<WebLink>(context, { request: 'web', fields: ['here', 'goodUntil'] });
  print(asJson ? JSON.stringify(link, undefined, 2) : linkText(link, language));
  return isOn('qr') && !asJson ? showCode(link, context) : exitCodes.done;
}

function linkText({ here, elsewhere }: WebLink, language: Language): string {
  const say = webWords[language];
  const others = elsewhere === undefined ? [] : [say.elsewhere({ url: elsewhere })];
  return [say.link({ url: here }), ...others].join('\n');
}

async function showCode(
  { elsewhere }: WebLink,
  { print, complain, language, program }: CommandContext,
): Promise<number> {
  const { stdout, env } = program.process;
  const say = webWords[language];
  if (elsewhere === undefined) {
    complain(say.notReachable);
    return exitCodes.failed;
  }
  const hasColours = stdout.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb';
  const { qrCode } = await import('../../qr-code.ts');
  const code = hasColours ? qrCode(elsewhere, stdout.columns) : undefined;
  if (code === undefined) complain(say.tooNarrow);
  else print(`\n${code}`);
  return code === undefined ? exitCodes.failed : exitCodes.done;
}
