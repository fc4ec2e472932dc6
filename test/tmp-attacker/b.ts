import { ownerId, SlackSetting, team } from '../e2e/slack-setting.ts';
import { setTimeout as pause } from 'node:timers/promises';
const s = await SlackSetting.start({ config: { delivery: { tool_cards: true }, log:{level:'debug'} } });
const { slack, model } = s;
const bot = `<@${slack.home.installation.botUserId}>`;
function dump(title: string, ch: string) {
  console.log(`\n=== ${title} (${ch})`);
  for (const m of slack.chat(ch)) console.log(`  [${m.from}${m.threadTs ? ' in ' + m.threadTs.slice(-6) : ''} ${m.ts.slice(-6)} e${m.edits} ${m.streaming ?? ''}] ${JSON.stringify(m.text).slice(0, 700)} ${m.buttons.map(b=>b.label).join('|')}`);
  for (const e of slack.home.ephemerals(ch)) console.log(`  [eph to ${e.userId}${e.threadTs?' in '+e.threadTs.slice(-6):''}] ${JSON.stringify(e.text).slice(0, 900)}`);
}
try {
  slack.home.addChannel(team, { name: 'team', members: [ownerId(0), 'U0EVE', 'U0BEN'] });
  slack.home.addChannel('C0OTHER', { name: 'other', members: [ownerId(0), 'U0EVE'] });
  const dm = s.newOwner();
  let n = 0;
  model.onUser(/run/, () => ({ text: 'Let me run that.', calls: [{ name: 'shell', arguments: { command: `echo x >> ran${++n}.txt` } }] }));
  model.onResult(/.*/, 'All done.');
  const { ts } = slack.say(team, `${bot} run it`, { from: ownerId(0) });
  await pause(1500);
  dump('card in a thread', team);
  const id = /approve (\w+)/.exec(slack.chat(team).map(m=>m.text).join('\n'))?.[1];
  console.log('id', id);
  const row = s.rows((await import('zod')).z.looseObject({}), 'select * from approvals');
  const code = String((row[0] as any).code ?? (row[0] as any).id);
  console.log(JSON.stringify(row).slice(0,600));
  slack.home.command(team, '/keyturn', 'status', { from: ownerId(0) }); await pause(300);
  slack.home.command(dm, '/keyturn', 'status', { from: ownerId(0) }); await pause(300);
  slack.home.command(dm, '/keyturn', `approve ${code}`, { from: ownerId(0) }); await pause(600);
  slack.home.command(team, '/keyturn', `approve ${code}`, { from: 'U0EVE' }); await pause(600);
  slack.home.command(team, '/keyturn', `approve ${code}`, { from: ownerId(0) }); await pause(600);
  slack.say(team, `${bot} run again`, { from: ownerId(0), threadTs: ts }); await pause(1000);
  slack.home.command(team, '/keyturn', `stop`, { from: ownerId(0) }); await pause(600);
  slack.say(team, `${bot} /stop`, { from: ownerId(0), threadTs: ts }); await pause(1000);
  slack.say(team, `/stop`, { from: ownerId(0), threadTs: ts }); await pause(1000);
  slack.say(team, `${bot} run third`, { from: ownerId(0) }); await pause(1000);
  // press in broadcast
  const card = slack.chat(team).findLast(m=>m.buttons.length>0)!;
  slack.press(team, card.ts, 'press:0', {from: ownerId(0), forged:{ value: 'x'.repeat(100000)}}); await pause(300);
  slack.press(team, card.ts, 'press:0', {from: ownerId(0), forged:{ value: card.buttons[0]!.value!.replace(/..$/, 'zz')}}); await pause(300);
  // the same press value in another channel, by an owner
  slack.press('C0OTHER', '1.000100', 'press:0', {from: ownerId(0), forged:{ value: card.buttons[0]!.value!}}); await pause(300);
  slack.press(dm, '1.000100', 'press:0', {from: 'U0EVE', forged:{ value: card.buttons[0]!.value!}}); await pause(300);
  slack.press(dm, '1.000100', 'press:0', {from: ownerId(0), forged:{ value: card.buttons[0]!.value!}}); await pause(600);
  dump('after', team); dump('dm', dm); dump('other', 'C0OTHER');
  console.log(s.daemon.output.split('\n').filter(l=>/warn|error/i.test(l)).slice(0,20).join('\n'));
} finally { await s.dispose(); }
