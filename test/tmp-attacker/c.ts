// streams: is the finished text always exactly the reply
import { ownerId, SlackSetting, team } from '../e2e/slack-setting.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { shownMarkdown } from '../../channels/slack/outgoing/content.ts';
const seed0 = Number(process.argv[2] ?? 1);
let seed = seed0 * 7919;
const rnd = () => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed / 0x7fffffff; };
const pick = <T>(a: readonly T[]): T => a[Math.floor(rnd()*a.length)]!;
const s = await SlackSetting.start({ server: { timeScale: Number(process.argv[4] ?? 1) }, channel:{request_timeout_secs: 2}, config: { delivery: { tool_cards: false }, agent: { burst_ms: 0 } } });
const { slack, model } = s;
function text(size: number): string {
  let out = '';
  const words = ['alpha','**bold**','`code`','<!channel>','<@U0BEN>','@here','@everyone','&lt;!here&gt;','[link](https://x.y/z_(a))','_em_','~~no~~','日本語のテキスト','👩‍👩‍👧','a_b_c','*star','`unclosed','https://e.x/@here', '<https://a.b|c>', '\\<!channel>', '&#60;!channel>', '|', '||', '\u200b'];
  while (out.length < size) {
    const k = rnd();
    if (k < 0.5) { out += Array.from({length: 3+Math.floor(rnd()*40)}, () => pick(words)).join(rnd()<0.1?'':' ') + pick(['\n','\n\n']); }
    else if (k < 0.62) out += pick(['```','~~~','````']) .replace(/.*/, m => `${m}ts\n${Array.from({length: Math.floor(rnd()*60)}, (_, i) => `const x${i} = "<!channel>"; // ${pick(words)}`).join('\n')}\n${m}\n\n`);
    else if (k < 0.75) out += `| a | b |\n|---|---|\n${Array.from({length: Math.floor(rnd()*130)}, (_, i) => `| ${i} | ${rnd()<0.2?'':pick(words)} |`).join('\n')}\n\n`;
    else if (k < 0.85) out += `- item ${pick(words)}\n  - sub ${pick(words)}\n1. one\n`;
    else if (k < 0.9) out += 'x'.repeat(Math.floor(rnd()*5000)) + '\n';
    else out += `# Head ${pick(words)}\n> quote ${pick(words)}\n`;
  }
  return out.trimEnd();
}
const sizes = [200, 1500, 5000, 12500, 30000];
const N = 8;
const jobs: { ch: string; ts: string; text: string; start: number }[] = [];
slack.home.addChannel(team, { name: 'team', members: Array.from({length:60},(_, i)=>ownerId(i)) });
const faulty = process.argv[3] === 'faulty';
if (faulty) for (const method of ['chat.appendStream','chat.stopStream','chat.startStream','chat.update','chat.postMessage', 'conversations.replies'])
  for (const [kind, extra] of [['429',{retryAfter: 1}],['drop-before',{}],['drop-after',{}],['html',{}],['hang',{done:true}]] as const)
    slack.fault({ method, kind, ...extra, probability: 0.03, seed: seed++ } as never);
try {
  for (let i = 0; i < N; i++) {
    const size = sizes[i % sizes.length]!;
    const t = text(size);
    model.onUser(`tell ${i}.`, { text: t, pieceSize: 1+Math.floor(rnd()*60), pieceDelayMs: size > 10000 ? 3 : 15 });
    const own = ownerId(i);
    if (i % 2) { const r = slack.people.openAssistant(own); slack.say(r.channel, `tell ${i}.`, { threadTs: r.ts, from: own }); jobs.push({ ch: r.channel, ts: r.ts, text: t, start: Date.now() }); }
    else { const r = slack.say(team, `<@${slack.home.installation.botUserId}> tell ${i}.`, { from: own }); jobs.push({ ch: team, ts: r.ts, text: t, start: Date.now() }); }
  }
  const end = Date.now() + 45000;
  const z = (await import('zod')).z;
  for (;;) {
    await pause(500);
    const rows = s.rows(z.looseObject({state: z.string()}), "select * from outbox");
    const pend = rows.filter(r => !['delivered','sent','done','failed'].includes(r.state));
    if ((rows.length >= N && pend.length === 0) || Date.now() > end) { console.log('rows', rows.length, 'pending', pend.length, JSON.stringify([...new Set(rows.map(r=>r.state))])); break; }
  }
  await pause(500);
  const strip = (x: string) => x.replace(/\u2060/g,'').replace(/&amp;/g,'&').replace(/&lt;/g,'<').replace(/&gt;/g,'>');
  for (const [i, j] of jobs.entries()) {
    const ms = slack.home.thread(j.ch, j.ts).filter(m => m.from === 'bot' && m.ts !== j.ts);
    const bad = ms.filter(m => m.streaming === 'in_progress' || m.streaming === 'errored');
    const got = strip(ms.map(m=>m.text).join('')).replace(/\s+/g,'').replace(/[`~]{3,}(ts)?/g,'');
    const want = strip(shownMarkdown(j.text)).replace(/\s+/g,'').replace(/[`~]{3,}(ts)?/g,'');
    const pings = ms.flatMap(m=>m.pings);
    let at = 0; while (at < want.length && got[at] === want[at]) at++;
    console.log(i, j.text.length, 'messages', ms.length, 'edits', ms.map(m=>m.edits).join(), 'stream', ms.map(m=>m.streaming ?? '-').join(), got === want ? 'SAME' : `DIFF at ${at} of ${want.length}/${got.length}: want ${JSON.stringify(want.slice(at-30,at+60))} got ${JSON.stringify(got.slice(at-30,at+60))}`, bad.length ? 'BAD STATE' : '', pings.length ? 'PINGS '+pings : '');
  }
  console.log('calls', slack.calls.length, 'refusals', JSON.stringify([...new Set(slack.calls.filter((c: any)=>c.answer?.ok===false || c.error).map((c: any)=>c.method+':'+(c.answer?.error ?? c.error)))]));
  console.log(Object.keys(slack.calls[0]!));
  console.log(s.daemon.output.split('\n').filter(l=>/Warn|Error|Fault/i.test(l)).slice(0,20).join('\n'));
} finally { await s.dispose(); }
