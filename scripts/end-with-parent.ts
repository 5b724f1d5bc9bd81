/**
 * Sends SIGTERM to this process when its parent has ended. npm passes a signal on to the shell that runs a script, and the shell ends
 * without passing it on: `kill` of an `npm start` would leave the server running.
 */
const CHECK_MS = 250;
const parent = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, CHECK_MS);
timer.unref();
