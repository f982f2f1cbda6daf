# A worker that echoes, and does as it is told.
while read -r line; do
    id=${line#*\"id\":} && id=${id%%,*}
    message=${line#*\"message\":} && message=${message%\}}
    case $line in
    *'"call":"crash"'*) exit 3 ;;
    *'"call":"leave"'*) exit 0 ;;
    *'"call":"hang"'*) sleep 600 ;;
    *'"call":"who"'*) message="{\"pid\":$$,\"edit\":${EDIT:-0}}" ;;
    *'"call":"tell"'*) echo '{"event":"resource_updated","uri":"told://it"}' ;;
    esac
    echo "{\"id\":$id,\"reply\":$message}"
done
