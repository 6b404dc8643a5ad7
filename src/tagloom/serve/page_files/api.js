// The JSON interface of the server.

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const KEY = "tagloom.token";
let token = sessionStorage.getItem(KEY);

/** Ask for a bearer token; false if nobody gives one. */
function askForToken() {
  const dialog = document.getElementById("token-dialog");
  const field = document.getElementById("token");
  return new Promise((resolve) => {
    const end = (given) => {
      dialog.removeEventListener("close", onClose);
      if (dialog.open) dialog.close();
      resolve(given);
    };
    const onClose = () => {
      token = field.value.trim();
      if (token) sessionStorage.setItem(KEY, token);
      end(Boolean(token));
    };
    document.getElementById("token-cancel").onclick = () => end(false);
    dialog.oncancel = () => end(false);
    dialog.addEventListener("close", onClose);
    field.value = "";
    dialog.showModal();
  });
}

async function send(path, options) {
  const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is it still running?", 0);
  }
  if (response.status === 401 && await askForToken()) return send(path, options);
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new ApiError(`The server answered with status ${response.status}.`, response.status);
  }
  if (!response.ok) throw new ApiError(answer.error ?? `status ${response.status}`, response.status);
  return answer;
}

export function listModels() {
  return send("v1/models", { method: "GET" });
}

/** Ask "annotate", "nbest" or "explain". */
export function ask(what, message, signal) {
  const headers = { "content-type": "application/json" };
  return send(`v1/${what}`, { method: "POST", headers, body: JSON.stringify(message), signal });
}
