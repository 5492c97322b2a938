# A Nix flake of the prebuilt folder; not run: only its syntax was checked. VERSION and SHA256 are those of the release.
{
  description = "Serves tables, files, databases and APIs to AI agents over MCP";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "VERSION";
      archives = {
        x86_64-linux = { name = "x64"; sha256 = "SHA256 of the archive for x64"; };
        aarch64-linux = { name = "arm64"; sha256 = "SHA256 of the archive for arm64"; };
      };
      package = system: archive:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenv.mkDerivation {
          pname = "sluice";
          inherit version;
          src = pkgs.fetchurl {
            url = "https://github.com/sluice-mcp/sluice/releases/download/v${version}/sluice-${version}-linux-${archive.name}.tar.gz";
            inherit (archive) sha256;
          };
          nativeBuildInputs = [ pkgs.autoPatchelfHook ];
          buildInputs = [ pkgs.stdenv.cc.cc.lib ];
          installPhase = ''
            mkdir -p $out/bin
            cp -r lib share $out/
            ln -s $out/lib/sluice/sluice $out/bin/sluice
          '';
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
