// Starts pm-lsp for IR, and for the programs that the settings name.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("pmir");
  const documentSelector = [{ language: "pmir" }, ...settings.get("programs").map(pattern => ({ pattern }))];
  const server = { command: settings.get("command"), args: settings.get("arguments") };
  client = new LanguageClient("pmir", "pm-lsp", server, { documentSelector });
  return client.start();
};

exports.deactivate = () => client && client.stop();
